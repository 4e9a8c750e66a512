// Answers questions, one line of JSON each, with one line of JSON each, until the input ends. What stands in
// them is said in ../client_test.go.
import { createInterface } from 'node:readline';

// ask fills in the reply, as far as it comes; explain turns what it threw into type, code and message.
export async function serve(ask, explain) {
  for await (const line of createInterface({ input: process.stdin })) {
    const reply = { text: '', chunks: 0 };
    try {
      await ask(JSON.parse(line), reply);
    } catch (e) {
      reply.failure = { class: e.constructor.name, status: e.status ?? 0, message: e.message, ...explain(e) };
      takeHead(reply, e.headers, e.requestID);
    }
    process.stdout.write(JSON.stringify(reply) + '\n');
  }
}

export function takeHead(reply, headers, request) {
  if (headers) {
    reply.header = Object.fromEntries(headers.entries());
    reply.request = request ?? '';
  }
}

// messages are the turns of a question, the user's and the model's.
export const messages = (q) => q.turns.map((content, i) => ({ role: i % 2 ? 'assistant' : 'user', content }));
