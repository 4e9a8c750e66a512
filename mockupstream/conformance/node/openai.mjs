import OpenAI from 'openai';
import { messages, serve, takeHead } from './serve.mjs';

async function ask(q, reply) {
  const client = new OpenAI({ baseURL: q.base + '/v1', apiKey: q.key, maxRetries: q.retries });
  if (q.want === 'models') {
    reply.models = [];
    for await (const model of client.models.list()) reply.models.push(model.id);
    return;
  }
  if (q.want === 'embed') {
    const got = await client.embeddings.create({ model: q.model, input: q.turns, dimensions: 64 });
    reply.model = got.model;
    reply.used = { in: got.usage.prompt_tokens };
    reply.vectors = got.data.map((e) => e.embedding);
    return;
  }
  const params = { model: q.model, messages: messages(q), max_completion_tokens: q.max_out };
  if (q.stream) {
    const { data, response, request_id } = await client.chat.completions
      .create({ ...params, stream: true, stream_options: { include_usage: true } })
      .withResponse();
    takeHead(reply, response.headers, request_id);
    for await (const chunk of data) takeChunk(reply, chunk);
    return;
  }
  const { data, response, request_id } = await client.chat.completions.create(params).withResponse();
  takeHead(reply, response.headers, request_id);
  reply.text = data.choices[0].message.content;
  reply.model = data.model;
  reply.finish = data.choices[0].finish_reason;
  takeUsage(reply, data.usage);
}

function takeChunk(reply, chunk) {
  const choice = chunk.choices[0];
  if (choice?.delta.content) {
    reply.chunks++;
    reply.text += choice.delta.content;
  }
  reply.model = chunk.model;
  reply.finish = choice?.finish_reason ?? reply.finish;
  if (chunk.usage) takeUsage(reply, chunk.usage);
}

function takeUsage(reply, u) {
  reply.used = { in: u.prompt_tokens, cached: u.prompt_tokens_details.cached_tokens, out: u.completion_tokens };
}

await serve(ask, (e) => ({
  type: e.type ?? '',
  code: e.code ?? '',
  message: e.error?.message ?? e.message,
}));
