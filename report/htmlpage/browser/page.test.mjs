// What a real browser makes of the pages: "node --test" in this directory, after pages.mjs, with
// SIMLOAD_PAGES naming its output. See "make browser".
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const pages = process.env.SIMLOAD_PAGES;
const shots = process.env.SIMLOAD_SHOTS; // where to put pictures; none without it
const here = import.meta.dirname;
const axe = readFileSync(join(here, "node_modules/axe-core/axe.min.js"), "utf8");
const names = ["pass", "fail", "variants", "several", "tiny", "hostile", "bare", "partial", "plan", "frontier", "plans"];
const plans = ["plan", "frontier", "plans"]; // their drawings need no script
const url = (name) => pathToFileURL(join(pages, name + ".html")).href;

// written counts the tables of a page's text, and their rows.
function written(name) {
  const text = readFileSync(join(pages, name + ".html"), "utf8");
  return [text.split("<table").length - 1, text.split("<tr").length - 1];
}

let browser;
before(async () => {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
  args.push("--disable-background-networking", "--disable-component-update", "--disable-sync");
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args });
});
after(() => browser?.close());

// open opens a page and notes what it must not do.
async function open(name, { width = 1280, theme = "light", script = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme, javaScriptEnabled: script });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && faults.push("console: " + m.text()));
  page.on("pageerror", (e) => faults.push("error: " + e.message));
  page.on("request", (r) => r.url() !== url(name) && !r.url().startsWith("data:") && faults.push("request: " + r.url()));
  await page.goto(url(name));
  if (script) await page.waitForFunction(() => document.querySelectorAll("figure[data-chart]").length === 0 || document.querySelector(".uplot canvas"));
  return { page, faults, close: () => context.close() };
}

// settled waits until the page has drawn itself anew.
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

// overflow is by how much the page is wider than the window.
async function overflow(page, width) {
  await page.setViewportSize({ width, height: 900 });
  await settled(page);
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

// drawn counts, for each visible chart, the pixels of its lines' colours, and the lines that have values.
const drawn = (page) =>
  page.evaluate(() => {
    const charts = JSON.parse(document.getElementById("charts").textContent);
    const rgb = (i) => {
      const probe = document.body.appendChild(document.createElement("span"));
      probe.style.color = `var(--c${i % 6})`;
      const colour = getComputedStyle(probe).color.match(/\d+/g).map(Number);
      probe.remove();
      return colour;
    };
    return [...document.querySelectorAll("figure[data-chart]")]
      .filter((f) => f.querySelector(".reach").clientWidth > 0)
      .map((f) => {
        const chart = charts[Number(f.dataset.chart)];
        const canvas = f.querySelector("canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const count = (want) => {
          let n = 0;
          for (let p = 0; p < data.length; p += 4) {
            if (data[p + 3] > 100 && Math.abs(data[p] - want[0]) + Math.abs(data[p + 1] - want[1]) + Math.abs(data[p + 2] - want[2]) < 60) n++;
          }
          return n;
        };
        const some = chart.lines.some((l) => l.values.some((v) => v !== null && (!chart.log || v > 0)));
        return { title: f.querySelector("figcaption b").textContent, some, pixels: Math.max(...chart.lines.map((l) => count(rgb(l.colour)))) };
      });
  });

// Two at a time: as many as the machine of the tests has processors.
suite("every page", { concurrency: 2 }, () => {
  for (const name of names) {
    test(`${name}: draws every chart, in both themes and on paper, and does nothing else`, async () => {
      const { page, faults, close } = await open(name);
      for (const theme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: theme });
        await settled(page);
        const charts = await drawn(page);
        assert.equal(charts.length > 0, !plans.includes(name), "there are charts, or drawings");
        const drawings = await page.locator(".variant:not([hidden]) .picture svg").evaluateAll((all) => all.map((s) => s.clientWidth * s.clientHeight));
        assert.ok(drawings.length > 0 === plans.includes(name) && drawings.every((size) => size > 10_000), `drawings of ${drawings} pixels`);
        for (const c of charts) assert.ok(!c.some || c.pixels >= 15, `${theme}: ${c.title}: ${c.pixels} pixels of its lines`);
        const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
        assert.equal(ground < 100, theme === "dark", `${theme}: the ground is ${ground}`);
      }
      // The script takes nothing away and adds nothing that is to be read.
      assert.deepEqual([await page.locator("table").count(), await page.locator("tr").count()], written(name));

      // On paper, which is white.
      const pdf = await page.pdf({ format: "A4" });
      assert.ok(pdf.length > 20_000, `the PDF has ${pdf.length} bytes`);
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      const state = await page.evaluate(() => ({
        theme: document.documentElement.dataset.theme,
        folded: document.querySelectorAll("details:not(.data):not([open])").length,
        hidden: [...document.querySelectorAll("section.variant")].filter((v) => v.clientHeight === 0).length,
        tools: document.getElementById("tools").clientHeight,
      }));
      assert.deepEqual(state, { theme: "light", folded: 0, hidden: 0, tools: 0 });
      for (const c of await drawn(page)) assert.ok(!c.some || c.pixels >= 15, `${c.title} is drawn on paper`);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), undefined);
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.deepEqual(faults, []);
      await close();
    });

    test(`${name}: fits at every width, and has no serious fault of accessibility`, async () => {
      const { page, faults, close } = await open(name, { width: 360 });
      const found = [];
      const check = async (where) => {
        const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        const bad = violations.filter((v) => ["serious", "critical"].includes(v.impact));
        found.push(...bad.map((v) => `${where}: ${v.id}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`));
      };
      await page.evaluate(axe);
      for (const width of [360, 768, 1280]) {
        assert.ok((await overflow(page, width)) <= 0, `${width}: the page scrolls sideways`);
      }
      await check("folded");
      await page.emulateMedia({ colorScheme: "dark" });
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
      for (const width of [1280, 768, 360]) {
        assert.ok((await overflow(page, width)) <= 0, `${width}: the page scrolls sideways when all is unfolded`);
      }
      await check("unfolded and dark, on a phone");
      assert.deepEqual(found, []);
      assert.deepEqual(faults, []);
      await close();
    });

    test(`${name}: says everything without JavaScript`, async () => {
      const { page, faults, close } = await open(name, { script: false });
      const count = (selector) => page.locator(selector).count();
      const bare = { tables: await count("table"), rows: await count("tr"), notice: plans.includes(name) || (await page.locator("noscript p").isVisible()) };
      const hidden = await page.locator("section.variant").evaluateAll((all) => all.filter((v) => v.clientHeight === 0).length).catch(() => 0);
      assert.ok(bare.tables >= 1 && bare.rows > bare.tables && bare.notice && hidden === 0, JSON.stringify(bare));
      assert.deepEqual([bare.tables, bare.rows], written(name));
      assert.ok(await page.locator(".word strong").first().isVisible());
      assert.deepEqual(faults, []);
      await close();
    });
  }
});

// legend returns the values that a figure's legend shows.
const legend = (figure) => figure.locator(".legend .value").allTextContents();
const told = (values) => values.some((v) => v !== "");

test("the mouse reads values, in all charts of one time axis at once", async () => {
  const { page, faults, close } = await open("pass");
  const series = page.locator(".figures figure[data-chart]");
  await series.first().scrollIntoViewIfNeeded();
  const box = await series.first().locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const places = new Set();
  for (let i = 0; i < (await series.count()); i++) {
    assert.ok(told(await legend(series.nth(i))), `chart ${i} follows`);
    places.add(await series.nth(i).locator(".at").textContent());
  }
  assert.equal(places.size, 1, "all at the same time");
  assert.match([...places][0], /^(29:40 to 30:00|30:00 to 30:20)$/);
  const curve = page.locator("figure[data-chart]").first();
  assert.ok(!told(await legend(curve)), "percentiles do not follow the time");
  await curve.scrollIntoViewIfNeeded();
  const over = await curve.locator(".u-over").boundingBox();
  await page.mouse.move(over.x + over.width * 0.4, over.y + 20);
  assert.ok(told(await legend(curve)));
  assert.match(await curve.locator(".at").textContent(), /^p99/);
  await page.mouse.move(5, 5);
  assert.ok(!told(await legend(curve)), "the values go with the mouse");
  assert.deepEqual(faults, []);
  await close();
});

test("the keyboard reads values, hides lines and chooses variants", async () => {
  const { page, faults, close } = await open("variants");
  const first = page.getByRole("tab").first();
  await first.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getByRole("tab").nth(1).getAttribute("aria-selected"), "true");
  assert.deepEqual(await page.locator("section.variant").evaluateAll((all) => all.map((v) => v.hidden)), [true, false, true]);
  for (const c of await drawn(page)) assert.ok(!c.some || c.pixels >= 15, `${c.title} of the second variant is drawn`);

  const figure = page.locator("section.variant:not([hidden]) .figures figure[data-chart]").first();
  await figure.locator(".reach").focus();
  const outline = await figure.locator(".reach").evaluate((e) => getComputedStyle(e).outlineStyle);
  assert.equal(outline, "solid", "the focus is visible");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.ok(told(await legend(figure)));
  assert.match(await figure.locator("[aria-live]").textContent(), /^\d\d:\d\d to \d\d:\d\d: requests /);
  await page.keyboard.press("Escape");
  assert.ok(!told(await legend(figure)));

  const button = figure.locator(".legend button").first();
  await button.focus();
  await page.keyboard.press("Enter");
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  await page.keyboard.press("Enter");
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  const summary = page.locator("section.variant:not([hidden]) details.slow summary").first();
  await summary.focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("section.variant:not([hidden]) details.slow[open] table").first().isVisible());
  assert.deepEqual(faults, []);
  await close();
});

test("the theme can be chosen, and charts follow", async () => {
  const { page, faults, close } = await open("fail", { theme: "dark" });
  await page.getByRole("button", { name: "Light colours" }).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  for (const c of await drawn(page)) assert.ok(!c.some || c.pixels >= 15, `${c.title} in the other theme`);
  await page.emulateMedia({ colorScheme: "light" });
  assert.equal(await page.getByRole("button", { name: "Dark colours" }).count(), 1);
  assert.deepEqual(faults, []);
  await close();
});

test("the policy lets nothing in and nothing out", async () => {
  let calls = 0;
  const server = createServer((_, answer) => answer.end(String(++calls))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { page, close } = await open("pass");
  const blocked = await page.evaluate(async (there) => {
    const seen = [];
    addEventListener("securitypolicyviolation", (e) => seen.push(e.effectiveDirective));
    const fetched = await fetch(there).then(() => "fetched", () => "refused");
    document.body.append(Object.assign(document.createElement("img"), { src: there + "x.png" }));
    document.body.append(Object.assign(document.createElement("script"), { textContent: "window.hacked = 1" }));
    document.body.append(Object.assign(document.createElement("style"), { textContent: "body { display: none }" }));
    const button = document.createElement("button");
    button.setAttribute("onclick", "window.hacked = 2");
    document.body.append(button);
    button.click();
    await new Promise((done) => setTimeout(done, 200));
    return { fetched, seen: [...new Set(seen)].sort(), hacked: window.hacked, display: getComputedStyle(document.body).display };
  }, `http://127.0.0.1:${server.address().port}/`);
  assert.deepEqual(blocked, { fetched: "refused", seen: ["connect-src", "img-src", "script-src-attr", "script-src-elem", "style-src-elem"], hacked: undefined, display: "block" });
  assert.equal(calls, 0, "nothing left the browser");
  await close();
  server.close();
});

test("the script prints numbers as the tables do", async () => {
  const forms = JSON.parse(readFileSync(join(here, "forms.json"), "utf8"));
  const { page, close } = await open("tiny");
  const got = await page.evaluate(
    (all) => Object.fromEntries(Object.entries(all).map(([form, cases]) => [form, Object.fromEntries(Object.keys(cases).map((x) => [x, simload[form](Number(x))]))])),
    forms,
  );
  assert.deepEqual(got, forms);
  await close();
});

test("an hour of 2000 agents stays under 1 MB", () => {
  const { size } = statSync(join(pages, "pass.html"));
  assert.ok(size < 1_000_000, `${size} bytes`);
});

test("pictures at three widths, in both themes", { skip: !shots && "SIMLOAD_SHOTS names no directory" }, async () => {
  mkdirSync(shots, { recursive: true });
  for (const name of names) {
    for (const theme of ["light", "dark"]) {
      for (const width of [360, 768, 1280]) {
        const { page, close } = await open(name, { width, theme });
        await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`), fullPage: true });
        await close();
      }
    }
  }
});
