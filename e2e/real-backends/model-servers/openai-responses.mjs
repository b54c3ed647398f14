/**
 * A scripted model behind the OpenAI Responses API, for Codex. A step's tool becomes a `function_call`, its `custom` a
 * `custom_tool_call` with raw text.
 *
 *     const server = await startResponsesModel()      // base_url = `${server.url}/v1`
 *     node openai-responses.mjs [port]
 */
import { pathToFileURL } from 'node:url'
import { callsOf, chooseStep, personTexts, piecesOf } from './script.mjs'
import { Failures, isMissingModel, nextId, openStream, pause, startModelServer } from './server.mjs'

/** @typedef {import('./script.mjs').Step} Step */

const modelItems = new Set(['function_call', 'custom_tool_call', 'reasoning', 'local_shell_call'])

/** @param {{ port?: number }} [options] */
export function startResponsesModel({ port = 0 } = {}) {
  const failures = new Failures()
  return startModelServer((exchange) => answer(exchange, failures), viewOf, port)
}

/** @param {any} content @returns {string[]} */
const textsOf = (content) =>
  typeof content === 'string' ? [content] : (content ?? []).map((/** @type {any} */ block) => block.text ?? '')

/** @param {any} input @returns {any[]} */
const itemsOf = (input) => (Array.isArray(input) ? input : [{ role: 'user', content: input ?? '' }])

/**
 * One answer of the model is a run of items that it made; outputs of tools and texts of the person part them.
 * @param {any[]} items
 * @returns {import('./script.mjs').Move[]}
 */
function movesOf(items) {
  /** @type {import('./script.mjs').Move[]} */
  const moves = []
  let inAnswer = false
  for (const item of items) {
    const byModel = item.role === 'assistant' || modelItems.has(item.type)
    if (byModel && !inAnswer) moves.push({ by: 'model' })
    if (item.role === 'user') moves.push({ by: 'person', texts: textsOf(item.content) })
    inAnswer = byModel
  }
  return moves
}

/** @param {any} body @returns {import('./server.mjs').ModelView} */
function viewOf(body) {
  const items = itemsOf(body.input)
  const system = items.filter(({ role }) => role === 'developer' || role === 'system')
  return {
    system: [body.instructions ?? '', ...system.flatMap(({ content }) => textsOf(content))].join('\n'),
    userTexts: personTexts(items.flatMap(({ role, content }) => (role === 'user' ? textsOf(content) : []))),
    model: body.model,
    toolNames: (body.tools ?? []).map((/** @type {any} */ tool) => tool.name ?? tool.type),
    ...(body.max_output_tokens === undefined ? {} : { maxOutputTokens: body.max_output_tokens }),
    thinking: body.reasoning?.effort ?? 'none',
  }
}

/** @param {import('./server.mjs').Exchange} exchange @param {Failures} failures */
async function answer(exchange, failures) {
  const { path, method, body, bytes, response, sendJson } = exchange
  if (path.endsWith('/models')) return sendJson(200, { object: 'list', data: [], models: [] })
  if (!path.endsWith('/responses') || method !== 'POST') return sendJson(404, errorBody(`no route ${path}`))
  if (!body) return sendJson(400, errorBody('body is not JSON'))
  if (isMissingModel(body.model)) {
    const message = `The requested model '${body.model}' does not exist.`
    return sendJson(400, errorBody(message, 'invalid_request_error', { code: 'model_not_found', param: 'model' }))
  }

  const chosen = chooseStep(movesOf(itemsOf(body.input)))
  exchange.record({ scripted: chosen !== null })
  const step = chosen?.step ?? { text: 'ok' }
  const status = failures.statusOf(chosen)
  if (status) {
    const body = errorBody(step.message ?? `scripted ${status}`, step.type ?? 'server_error', step.fields)
    return sendJson(status, body, step.headers)
  }
  await pause(step.sleep)
  await streamAnswer(response, step, body.model, bytes)
}

/** @param {string} message @param {string} [type] @param {Record<string, unknown>} [fields] */
function errorBody(message, type = 'invalid_request_error', fields = {}) {
  return { error: { message, type, code: null, ...fields } }
}

/** @param {import('node:http').ServerResponse} response @param {Step} step @param {string} model @param {number} bytes */
async function streamAnswer(response, step, model, bytes) {
  const stream = openStream(response, step.headers)
  let sequence = 0
  const send = (/** @type {string} */ type, /** @type {object} */ data) =>
    stream.send(type, { sequence_number: sequence++, ...data })
  const head = { id: nextId('resp'), object: 'response', model }
  send('response.created', { response: { ...head, status: 'in_progress', output: [] } })
  /** @type {object[]} */
  const output = []
  const add = (/** @type {object} */ item) => output.push(item) - 1

  if (step.thinking) {
    await sendThinking(stream, send, step, add)
    if (!stream.open) return
  }
  if (step.text) {
    const whole = await sendText(stream, send, step, output.length)
    if (!stream.open || step.hang) return
    if (step.drop) return stream.cut()
    add(whole())
  }
  if (step.hang) return
  if (step.drop) return stream.cut()
  if (step.streamError) {
    const error = { code: step.streamError, message: step.message ?? 'scripted stream error' }
    send('response.failed', { response: { ...head, status: 'failed', error, output } })
    return stream.end()
  }
  for (const call of callsOf(step)) sendCall(send, functionCall(call), 'response.function_call_arguments.delta', add)
  for (const call of [step.custom ?? []].flat())
    sendCall(send, customCall(call), 'response.custom_tool_call_input.delta', add)
  send('response.completed', { response: { ...head, status: 'completed', output, usage: usageOf(step, bytes) } })
  stream.end()
}

/** @typedef {(type: string, data: object) => void} Send @typedef {(item: object) => number} Add */

/** @param {ReturnType<typeof openStream>} stream @param {Send} send @param {Step} step @param {Add} add */
async function sendThinking(stream, send, step, add) {
  const text = step.thinking ?? ''
  const item = { id: nextId('rs'), type: 'reasoning', summary: /** @type {object[]} */ ([]) }
  const done = { ...item, summary: [{ type: 'summary_text', text }], encrypted_content: 'c2NyaXB0ZWQ=' }
  const place = { item_id: item.id, output_index: add(done), summary_index: 0 }
  send('response.output_item.added', { output_index: place.output_index, item })
  send('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } })
  for (const delta of piecesOf(text, step.chunk)) {
    if (!stream.open) return
    send('response.reasoning_summary_text.delta', { ...place, delta })
    await stream.pause(step.delayMs)
  }
  send('response.reasoning_summary_text.done', { ...place, text })
  send('response.output_item.done', { output_index: place.output_index, item: done })
}

/**
 * @param {ReturnType<typeof openStream>} stream @param {Send} send @param {Step} step @param {number} index
 * @returns {Promise<() => object>} closes the item and gives it
 */
async function sendText(stream, send, step, index) {
  const text = step.text ?? ''
  const item = { id: nextId('msg'), type: 'message', role: 'assistant' }
  const place = { item_id: item.id, output_index: index, content_index: 0 }
  send('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', content: [] } })
  send('response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } })
  for (const delta of piecesOf(text, step.chunk)) {
    if (!stream.open) break
    send('response.output_text.delta', { ...place, delta })
    await stream.pause(step.delayMs)
  }
  return () => {
    const done = { ...item, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] }
    send('response.output_text.done', { ...place, text })
    send('response.output_item.done', { output_index: index, item: done })
    return done
  }
}

/** @param {import('./script.mjs').Call} call */
function functionCall({ name, input, namespace }) {
  const ids = { id: nextId('fc'), type: 'function_call', status: 'completed', call_id: nextId('call') }
  return { ...ids, name, ...(namespace ? { namespace } : {}), arguments: JSON.stringify(input) }
}

/** @param {{ name: string, input: string }} call */
function customCall({ name, input }) {
  return { id: nextId('ctc'), type: 'custom_tool_call', status: 'completed', call_id: nextId('call'), name, input }
}

/** @param {Send} send @param {{ id: string, arguments?: string, input?: string }} item @param {string} deltaType @param {Add} add */
function sendCall(send, item, deltaType, add) {
  const field = item.arguments === undefined ? 'input' : 'arguments'
  const output_index = add(item)
  send('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', [field]: '' } })
  send(deltaType, { item_id: item.id, output_index, delta: item[field] })
  send('response.output_item.done', { output_index, item })
}

/** @param {Step} step @param {number} bytes */
function usageOf(step, bytes) {
  const input_tokens = step.usage?.input_tokens ?? Math.ceil(bytes / 4)
  const output_tokens = step.usage?.output_tokens ?? 20
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: step.usage?.cache_read_input_tokens ?? 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output_tokens,
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await startResponsesModel({ port: Number(process.argv[2] ?? 0) })
  console.log(server.url)
}
