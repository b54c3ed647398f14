/**
 * A scripted model behind the OpenAI Chat Completions API, for OpenCode.
 *
 *     const server = await startChatModel()      // baseURL = `${server.url}/v1`
 *     node openai-chat.mjs [port]
 */
import { pathToFileURL } from 'node:url'
import { callsOf, chooseStep, personTexts, piecesOf } from './script.mjs'
import { Failures, isMissingModel, nextId, openStream, pause, startModelServer } from './server.mjs'

/** @typedef {import('./script.mjs').Step} Step */

/** @param {{ port?: number }} [options] */
export function startChatModel({ port = 0 } = {}) {
  const failures = new Failures()
  return startModelServer((exchange) => answer(exchange, failures), viewOf, port)
}

/** @param {any} content @returns {string[]} */
const textsOf = (content) =>
  typeof content === 'string' ? [content] : (content ?? []).map((/** @type {any} */ block) => block.text ?? '')

/** @param {any} body @returns {import('./script.mjs').Move[]} */
const movesOf = (body) =>
  (body.messages ?? []).flatMap((/** @type {any} */ { role, content }) => {
    if (role === 'assistant') return [{ by: 'model' }]
    return role === 'user' ? [{ by: 'person', texts: textsOf(content) }] : []
  })

/** @param {any} body @returns {import('./server.mjs').ModelView} */
function viewOf(body) {
  const textsBy = (/** @type {string} */ by) =>
    body.messages.flatMap((/** @type {any} */ { role, content }) => (role === by ? textsOf(content) : []))
  return {
    system: textsBy('system').join('\n'),
    userTexts: personTexts(textsBy('user')),
    model: body.model,
    toolNames: (body.tools ?? []).map((/** @type {any} */ tool) => tool.function.name),
    ...(body.max_tokens === undefined ? {} : { maxOutputTokens: body.max_tokens }),
    thinking: body.reasoning_effort ?? 'none',
  }
}

/** @param {import('./server.mjs').Exchange} exchange @param {Failures} failures */
async function answer(exchange, failures) {
  const { path, method, body, bytes, response, sendJson } = exchange
  if (path.endsWith('/models')) return sendJson(200, { object: 'list', data: [] })
  if (!path.endsWith('/chat/completions') || method !== 'POST') return sendJson(404, errorBody(`no route ${path}`))
  if (!body) return sendJson(400, errorBody('body is not JSON'))
  if (isMissingModel(body.model))
    return sendJson(404, errorBody(missing(body.model), 'invalid_request_error', 'model_not_found'))
  // Side calls (a title) carry the prompt too, and no tools: they never play a step.
  const chosen = body.tools?.length ? chooseStep(movesOf(body)) : null
  exchange.record({ scripted: chosen !== null })
  const step = chosen?.step ?? { text: 'ok' }
  const status = failures.statusOf(chosen)
  if (status) return sendJson(status, errorBody(step.message ?? `scripted ${status}`, step.type), step.headers)
  await pause(step.sleep)
  await streamAnswer(response, step, body.model, bytes)
}

/** @param {string} message @param {string} [type] @param {string | null} [code] */
const errorBody = (message, type = 'server_error', code = null) => ({ error: { message, type, code } })

/** @param {string} model */
const missing = (model) => `The model \`${model}\` does not exist or you do not have access to it.`

/** @param {import('node:http').ServerResponse} response @param {Step} step @param {string} model @param {number} bytes */
async function streamAnswer(response, step, model, bytes) {
  const stream = openStream(response, step.headers)
  const head = { id: nextId('chatcmpl'), object: 'chat.completion.chunk', created: 1, model }
  const write = (/** @type {object} */ data) => stream.open && response.write(`data: ${JSON.stringify(data)}\n\n`)
  const send = (/** @type {object} */ delta, /** @type {string | null} */ finish_reason = null) =>
    write({ ...head, choices: [{ index: 0, delta, finish_reason }] })
  send({ role: 'assistant', content: '' })
  for (const [field, text] of [
    ['reasoning_content', step.thinking],
    ['content', step.text],
  ]) {
    for (const piece of piecesOf(text ?? '', step.chunk)) {
      send({ [String(field)]: piece })
      await stream.pause(step.delayMs)
    }
  }
  if (!stream.open || step.hang) return
  if (step.drop) return stream.cut()
  const calls = callsOf(step)
  for (const [index, call] of calls.entries()) send({ tool_calls: [{ index, ...callOf(call) }] })
  send({}, calls.length > 0 ? 'tool_calls' : 'stop')
  write({ ...head, choices: [], usage: usageOf(step, bytes) })
  if (stream.open) response.write('data: [DONE]\n\n')
  stream.end()
}

/** @param {import('./script.mjs').Call} call */
const callOf = ({ name, input }) => ({
  id: nextId('call'),
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

/** @param {Step} step @param {number} bytes */
function usageOf(step, bytes) {
  const prompt_tokens = step.usage?.input_tokens ?? Math.ceil(bytes / 4)
  const completion_tokens = step.usage?.output_tokens ?? 20
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await startChatModel({ port: Number(process.argv[2] ?? 0) })
  console.log(server.url)
}
