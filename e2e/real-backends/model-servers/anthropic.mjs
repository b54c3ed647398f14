/**
 * A scripted model behind the Anthropic Messages API, for Claude Code.
 *
 *     const server = await startAnthropicModel()      // ANTHROPIC_BASE_URL = server.url
 *     node anthropic.mjs [port]
 */
import { pathToFileURL } from 'node:url'
import { callsOf, chooseStep, personTexts, piecesOf } from './script.mjs'
import { Failures, isMissingModel, nextId, openStream, pause, startModelServer } from './server.mjs'

/** @typedef {import('./script.mjs').Step} Step */

const errorTypes = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
])

/** @param {{ port?: number }} [options] */
export function startAnthropicModel({ port = 0 } = {}) {
  const failures = new Failures()
  return startModelServer((exchange) => answer(exchange, failures), viewOf, port)
}

/** @param {any} content @returns {string[]} */
const textsOf = (content) =>
  typeof content === 'string'
    ? [content]
    : (content ?? []).filter((/** @type {any} */ block) => block.type === 'text').map((/** @type {any} */ b) => b.text)

/** @param {any[]} messages @returns {import('./script.mjs').Move[]} */
function movesOf(messages) {
  return messages.map(({ role, content }) =>
    role === 'assistant' ? { by: 'model' } : { by: 'person', texts: textsOf(content) },
  )
}

/** @param {any} body @returns {import('./server.mjs').ModelView} */
function viewOf(body) {
  return {
    system: textsOf(body.system).join('\n'),
    userTexts: personTexts(
      body.messages.flatMap((/** @type {any} */ m) => (m.role === 'user' ? textsOf(m.content) : [])),
    ),
    model: body.model,
    toolNames: (body.tools ?? []).map((/** @type {any} */ tool) => tool.name),
    maxOutputTokens: body.max_tokens,
    thinking: body.output_config?.effort ?? body.thinking?.type ?? 'none',
  }
}

/** @param {import('./server.mjs').Exchange} exchange @param {Failures} failures */
async function answer(exchange, failures) {
  const { path, method, body, bytes, response, sendJson } = exchange
  if (method === 'HEAD' || path === '/') return void response.end()
  if (path === '/v1/messages/count_tokens') return sendJson(200, { input_tokens: Math.ceil(bytes / 4) })
  if (path === '/v1/models') return sendJson(200, { data: [], has_more: false, first_id: null, last_id: null })
  if (path !== '/v1/messages' || !Array.isArray(body?.messages))
    return sendJson(404, errorBody(404, { message: `no route ${path}` }))
  if (isMissingModel(body.model)) return sendJson(404, errorBody(404, { message: `model: ${body.model}` }))

  const chosen = chooseStep(movesOf(body.messages))
  exchange.record({ scripted: chosen !== null })
  const step = chosen?.step ?? { text: 'ok' }
  const status = failures.statusOf(chosen)
  if (status) return sendJson(status, errorBody(status, step), step.headers)
  await pause(step.sleep)
  const blocks = blocksOf(step)
  const stop = step.stop ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn')
  const usage = usageOf(step, bytes, blocks)
  const message = {
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  if (body.stream) await streamAnswer(response, step, blocks, message, { stop, usage })
  else sendJson(200, { ...message, content: blocks, stop_reason: stop, usage }, step.headers)
}

/** @param {number} status @param {Step} step */
function errorBody(status, { message = `scripted ${status}`, type = errorTypes.get(status) ?? 'api_error', fields }) {
  return { type: 'error', error: { type, message, ...fields }, request_id: nextId('req') }
}

/** @param {Step} step @returns {any[]} */
function blocksOf(step) {
  return [
    ...(step.thinking ? [{ type: 'thinking', thinking: step.thinking, signature: 'c2ln' }] : []),
    ...(step.text ? [{ type: 'text', text: step.text }] : []),
    ...callsOf(step).map(({ name, input, id = nextId('toolu') }) => ({ type: 'tool_use', id, name, input })),
  ]
}

/** @param {Step} step @param {number} bytes @param {any[]} blocks */
function usageOf(step, bytes, blocks) {
  return {
    input_tokens: Math.ceil(bytes / 4),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: Math.max(1, Math.ceil(JSON.stringify(blocks).length / 4)),
    ...step.usage,
  }
}

/**
 * @param {import('node:http').ServerResponse} response @param {Step} step @param {any[]} blocks @param {object} message
 * @param {{ stop: string, usage: Record<string, number> }} end
 */
async function streamAnswer(response, step, blocks, message, { stop, usage }) {
  const stream = openStream(response, step.headers)
  const breaksOff = step.hang || step.drop || step.streamError
  stream.send('message_start', { message })
  stream.send('ping', {})
  for (const [index, block] of blocks.entries()) {
    if (!stream.open) return
    await streamBlock(stream, step, block, index)
    if (breaksOff && block.type === 'text') break
    stream.send('content_block_stop', { index })
  }
  if (step.hang) return
  if (step.drop) return stream.cut()
  if (step.streamError) {
    stream.send('error', { error: { type: step.streamError, message: 'scripted stream error' } })
    return stream.end()
  }
  stream.send('message_delta', {
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  })
  stream.send('message_stop', {})
  stream.end()
}

/** @param {ReturnType<typeof openStream>} stream @param {Step} step @param {any} block @param {number} index */
async function streamBlock(stream, step, block, index) {
  const delta = (/** @type {object} */ data) => stream.send('content_block_delta', { index, delta: data })
  if (block.type === 'tool_use') {
    stream.send('content_block_start', { index, content_block: { ...block, input: {} } })
    for (const piece of piecesOf(JSON.stringify(block.input), 64))
      delta({ type: 'input_json_delta', partial_json: piece })
    return
  }
  const word = block.type
  const empty = word === 'text' ? { type: word, text: '' } : { type: word, thinking: '', signature: '' }
  stream.send('content_block_start', { index, content_block: empty })
  for (const piece of piecesOf(block[word], step.chunk)) {
    if (!stream.open) return
    delta({ type: `${word}_delta`, [word]: piece })
    await stream.pause(step.delayMs)
  }
  if (word === 'thinking') delta({ type: 'signature_delta', signature: block.signature })
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await startAnthropicModel({ port: Number(process.argv[2] ?? 0) })
  console.log(server.url)
}
