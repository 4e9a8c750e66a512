import Anthropic from '@anthropic-ai/sdk';
import { messages, serve, takeHead } from './serve.mjs';

async function ask(q, reply) {
  const client = new Anthropic({ baseURL: q.base, apiKey: q.key, maxRetries: q.retries });
  if (q.want === 'models') {
    reply.models = [];
    for await (const model of client.models.list()) reply.models.push(model.id);
    return;
  }
  const params = { model: q.model, messages: messages(q), max_tokens: q.max_out };
  if (q.stream) {
    const { data, response, request_id } = await client.messages.create({ ...params, stream: true }).withResponse();
    takeHead(reply, response.headers, request_id);
    for await (const event of data) takeEvent(reply, event);
    return;
  }
  const { data, response, request_id } = await client.messages.create(params).withResponse();
  takeHead(reply, response.headers, request_id);
  reply.text = data.content.map((block) => block.text).join('');
  reply.finish = data.stop_reason;
  takeMessage(reply, data);
}

function takeEvent(reply, event) {
  switch (event.type) {
    case 'message_start':
      takeMessage(reply, event.message);
      break;
    case 'content_block_delta':
      reply.chunks++;
      reply.text += event.delta.text;
      break;
    case 'message_delta':
      reply.finish = event.delta.stop_reason;
      reply.used.out = event.usage.output_tokens;
  }
}

// takeMessage adds the prompt up: what was read from the cache, written to it, and neither.
function takeMessage(reply, message) {
  const u = message.usage;
  reply.model = message.model;
  reply.written = u.cache_creation_input_tokens;
  reply.used = {
    in: u.input_tokens + u.cache_creation_input_tokens + u.cache_read_input_tokens,
    cached: u.cache_read_input_tokens,
    out: u.output_tokens,
  };
}

await serve(ask, (e) => ({
  type: e.type ?? '',
  code: e.errorCode ?? '',
  message: e.error?.error?.message ?? e.message,
}));
