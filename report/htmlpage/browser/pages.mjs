// Makes the pages that the tests look at, from runs of the program: "pages.mjs PROGRAM ROOT DIRECTORY".
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [program, root, out] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const at = (name) => join(out, name);
const scenario = (name) => join(root, "scenarios", name + ".yaml");

// simload runs the program, which must exit with the code.
function simload(code, ...args) {
  const r = spawnSync(program, args, { encoding: "utf8" });
  if (r.status !== code) throw new Error(`simload ${args.join(" ")} exited ${r.status}, want ${code}\n${r.stderr}`);
}

const render = (name) => simload(0, "report", at(name + ".json"), "-o", at(name + ".html"));
const read = (name) => JSON.parse(readFileSync(at(name + ".json"), "utf8"));
const write = (name, report) => writeFileSync(at(name + ".json"), JSON.stringify(report));

// Names that a scenario could have, and that a page must survive.
const hostile = [
  "</script><script>window.hacked = 1</script>",
  '"><img src=x onerror="window.hacked = 1">',
  "a|b`c' \"d\" & <e>",
  "line one\nline two\r\n\ttab",
  "\u202egpj.exe \u0007\u001b[31mred \u0000",
  "long-name/".repeat(1000),
  "{{.Charts}} ${window.hacked = 1} javascript:alert(1)",
];

// renamed puts hostile names in place of all names of profiles, models, keys and faults.
function renamed(report) {
  const names = new Map();
  const rename = (old) => {
    if (!names.has(old)) names.set(old, hostile[names.size % hostile.length] + (names.size >= hostile.length ? names.size : ""));
    return names.get(old);
  };
  const walk = (value, key) => {
    if (Array.isArray(value)) return value.map((v) => walk(v, key));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v, k)]));
    }
    if (typeof value !== "string") return value;
    if (["profile", "model", "key", "models", "keys", "outcome", "ending", "kind"].includes(key)) return rename(value);
    if (["description", "text", "resource", "request", "digest", "version", "file", "note"].includes(key)) return value + " " + hostile[0] + hostile[4];
    return value;
  };
  const out = walk(report, "");
  for (const v of out.variants) {
    v.name = hostile[1];
    v.series.columns.forEach((c) => (c.name = c.name.replace(/\{(.*)\}/, (all, of) => (/^P\d$/.test(of) ? all : `{${rename(of)}}`))));
    v.faults?.forEach((f, i) => (f.name = hostile[i % hostile.length]));
  }
  out.scenario.name = hostile[0];
  out.scenario.overrides = hostile;
  out.verdict.reasons = hostile;
  out.verdict.status = "invalid";
  out.verdict.checks.forEach((c, i) => (c.expr = `p99{profile="${hostile[i % hostile.length]}"} < 6s`));
  return out;
}

simload(0, "run", scenario("2000-agents"), "--quiet", "-o", at("pass.html"), "-o", at("pass.json"));
simload(99, "run", scenario("smoke"), "--quiet", "-o", at("fail.html"), "--set", 'expect=["p99 < 1ms", "ratio_ok > 1%", "p50 < 2ms"]');
simload(0, "run", scenario("burst-429"), "--quiet", "--reps", "3", "-o", at("variants.html"), "-o", at("variants.json"));
simload(0, "run", scenario("smoke"), scenario("burst-429"), "--quiet", "-o", at("several.html"));
simload(0, "run", scenario("smoke"), "--quiet", "-o", at("tiny.html"), "--set", "duration=4s", "--set", "warmup=0s", "--set", "expect=[]");

// Plans: of one value, of two, and of variants.
simload(0, "init", "--force", at("starter.yaml"));
const short = ["--set", "duration=90s", "--set", "warmup=10s", "--reps", "3", "--quiet"];
const keys = "upstreams.openai.keys.main.count=";
simload(0, "plan", at("starter.yaml"), ...short, "--vary", keys + "1..6", "--slo", "p95 < 20s, ratio_429 < 3%", "--set", "prices.monthly_budget_usd=40k", "-o", at("plan.html"));
simload(0, "plan", at("starter.yaml"), ...short, "--vary", "workload.agents.researchers.count=10..40:10", "--vary", keys + "1..5", "--min", "--slo", "p95 < 20s", "-o", at("frontier.html"));
simload(0, "plan", at("starter.yaml"), ...short, "--vary", keys + "1..4", "--slo", "p95 < 20s", "--set", "variants={a: {}, b: {stack: {reserve: {rate: 0%}}}}", "-o", at("plans.html"));

write("hostile", renamed(read("pass")));
render("hostile");

const bare = read("pass");
Object.assign(bare.variants[0], { series: { interval_s: 0, columns: [] }, slowest: [], keys: [], alerts: [], faults: [] });
write("bare", bare);
render("bare");

// A run that somebody ends while it is under way.
const partial = spawn(program, ["run", scenario("2000-agents"), "--quiet", "-o", at("partial.html"), "--set", "duration=40h"], { stdio: "ignore" });
setTimeout(() => partial.kill("SIGINT"), 3000);
partial.on("exit", (code) => {
  if (code !== 130) throw new Error(`the interrupted run exited ${code}, want 130`);
});
