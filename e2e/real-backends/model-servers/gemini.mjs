/**
 * A scripted model behind the Gemini API (`generateContent`, `streamGenerateContent`), for Gemini CLI.
 *
 *     const server = await startGeminiModel()      // GOOGLE_GEMINI_BASE_URL = server.url
 *     node gemini.mjs [port]
 */
import { pathToFileURL } from 'node:url'
import { callsOf, chooseStep, personTexts, piecesOf } from './script.mjs'
import { Failures, isMissingModel, openStream, pause, startModelServer } from './server.mjs'

/** @typedef {import('./script.mjs').Step} Step */

/** @param {{ port?: number }} [options] */
export function startGeminiModel({ port = 0 } = {}) {
  const failures = new Failures()
  return startModelServer((exchange) => answer(exchange, failures), viewOf, port)
}

/** @param {any} parts @returns {string[]} */
const textsOf = (parts) => (parts ?? []).flatMap((/** @type {any} */ { text }) => (text ? [text] : []))

/** @param {any} body @returns {import('./script.mjs').Move[]} */
const movesOf = (body) =>
  (body.contents ?? []).map((/** @type {any} */ { role, parts }) =>
    role === 'model' ? { by: 'model' } : { by: 'person', texts: textsOf(parts) },
  )

/** @param {any} body @returns {import('./server.mjs').ModelView} */
function viewOf(body) {
  const tools = (body.tools ?? []).flatMap((/** @type {any} */ { functionDeclarations }) => functionDeclarations ?? [])
  return {
    system: textsOf(body.systemInstruction?.parts).join('\n'),
    userTexts: personTexts(
      body.contents.flatMap((/** @type {any} */ { role, parts }) => (role === 'user' ? textsOf(parts) : [])),
    ),
    model: body.model,
    toolNames: tools.map((/** @type {any} */ { name }) => name),
    thinking: body.generationConfig?.thinkingConfig?.thinkingLevel ?? 'none',
  }
}

/** @param {import('./server.mjs').Exchange} exchange @param {Failures} failures */
async function answer(exchange, failures) {
  const { path, body, bytes, response, sendJson } = exchange
  const [, model, method] = /models\/([^:/]+):(\w+)/.exec(path) ?? []
  if (model === undefined || !body) return sendJson(404, errorBody(404, `no route ${path}`))
  if (isMissingModel(model)) return sendJson(404, errorBody(404, missing(model), 'NOT_FOUND'))
  if (method === 'countTokens') return sendJson(200, { totalTokens: Math.ceil(bytes / 4) })
  // The path names the model; a view has nothing but the body.
  body.model = model
  // Side calls (which model to ask, whether it goes round in circles) ask for JSON, or have no tools.
  const schema = body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema
  const chosen = schema || !body.tools ? null : chooseStep(movesOf(body))
  exchange.record({ scripted: chosen !== null })
  const step = chosen?.step ?? { text: schema ? sideAnswer : 'ok' }
  const status = failures.statusOf(chosen)
  if (status) return sendJson(status, errorBody(status, step.message ?? `scripted ${status}`), step.headers)
  await pause(step.sleep)
  if (method === 'generateContent')
    return sendJson(200, chunkOf([{ text: step.text }, ...callParts(step)], bytes, 'STOP'))
  await streamAnswer(response, step, bytes)
}

const sideAnswer = JSON.stringify({ reasoning: 'scripted', model_choice: 'flash', complexity_score: 1 })

/** @param {number} code @param {string} message */
const errorBody = (code, message, status = 'UNAVAILABLE') => ({ error: { code, message, status } })

/** @param {string} model */
const missing = (model) =>
  `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`

/** @param {Step} step */
const callParts = (step) => callsOf(step).map(({ name, input }) => ({ functionCall: { name, args: input } }))

/** @param {object[]} parts @param {number} bytes @param {string} [finishReason] */
function chunkOf(parts, bytes, finishReason) {
  const promptTokenCount = Math.ceil(bytes / 4)
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason ? { finishReason } : {}) }],
    usageMetadata: { promptTokenCount, candidatesTokenCount: 20, totalTokenCount: promptTokenCount + 20 },
  }
}

/** @param {import('node:http').ServerResponse} response @param {Step} step @param {number} bytes */
async function streamAnswer(response, step, bytes) {
  const stream = openStream(response, step.headers)
  const send = (/** @type {object[]} */ parts, /** @type {string} */ finish = '') =>
    stream.open && response.write(`data: ${JSON.stringify(chunkOf(parts, bytes, finish))}\n\n`)
  if (step.thinking) send([{ text: step.thinking, thought: true }])
  for (const text of piecesOf(step.text ?? '', step.chunk)) {
    send([{ text }])
    await stream.pause(step.delayMs)
  }
  if (!stream.open || step.hang) return
  if (step.drop) return stream.cut()
  const calls = callParts(step)
  send(calls.length > 0 ? calls : [{ text: '' }], 'STOP')
  stream.end()
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = await startGeminiModel({ port: Number(process.argv[2] ?? 0) })
  console.log(server.url)
}
