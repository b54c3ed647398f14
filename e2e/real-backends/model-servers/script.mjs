/**
 * The grammar of the scripted models: the prompt itself carries what the model shall answer, so a server keeps no
 * conversation and goes on working when its client is killed and resumed.
 *
 *     any words ... SCRIPT: [ step, step, ... ]
 *
 * The latest text of the person that holds `SCRIPT:` is the active script; of a text with several, the first, because a
 * script for a sub-agent lies inside. The step to play is the number of answers since. The scripted player
 * (`packages/adapter-scripted/src/script/script.ts`) reads the same words and more; a server passes over what is not listed here.
 *
 *   {"text":"hello","chunk":8,"delayMs":0}      streams a text
 *   {"thinking":"...","text":"..."}             thinking before the text
 *   {"tool":"Bash","input":{...},"text":"..."}  one tool call, after the text if there is one
 *   {"tools":[{"name":..,"input":..},...]}      several at once
 *   {"custom":{"name":..,"input":"raw"}}        a call with raw text (Responses API)
 *   {"recall":true}                             says how many turns it was given, and how the latest one began
 *   {"hang":true,"text":"partial"}              streams, then never ends
 *   {"drop":true,"text":"partial"}              streams, then cuts the connection
 *   {"streamError":"overloaded_error"}          streams an error event
 *   {"error":529,"times":2,"message":".."}      an HTTP status, always or for the first attempts
 *   {"error":429,"fields":{..}}                 with these fields of the error's body
 *   {"headers":{..}}                            with these headers, an error or not
 *   {"sleep":500}                               waits before it answers
 *   {"usage":{"input_tokens":1}}                other figures
 */

/**
 * @typedef {object} Step
 * @property {string} [text]
 * @property {string} [thinking]
 * @property {number} [chunk]
 * @property {number} [delayMs]
 * @property {string} [tool]
 * @property {unknown} [input]
 * @property {Array<{ name: string, input?: unknown, namespace?: string }>} [tools]
 * @property {{ name: string, input: string } | Array<{ name: string, input: string }>} [custom]
 * @property {boolean} [recall]
 * @property {boolean} [hang]
 * @property {boolean} [drop]
 * @property {string} [streamError]
 * @property {number} [error]
 * @property {number} [times]
 * @property {string} [message]
 * @property {Record<string, string>} [headers]
 * @property {Record<string, unknown>} [fields]
 * @property {string} [type]
 * @property {string} [stop]
 * @property {number} [sleep]
 * @property {Record<string, number>} [usage]
 * @typedef {{ name: string, input: unknown, namespace?: string }} Call
 */

/**
 * The first script in a text.
 * @param {string} text
 * @returns {{ raw: string, steps: Step[] } | null}
 */
export function findScript(text) {
  const mark = text.indexOf('SCRIPT:')
  const start = mark < 0 ? -1 : text.indexOf('[', mark)
  const end = start < 0 ? -1 : endOfArray(text, start)
  if (end < 0) return null
  const raw = text.slice(start, end)
  try {
    return { raw, steps: JSON.parse(raw) }
  } catch {
    return null
  }
}

/** @param {string} text @param {number} start */
function endOfArray(text, start) {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && --depth === 0) return at + 1
  }
  return -1
}

/**
 * A conversation as every API tells it: texts of the person and answers of the model, oldest first.
 * @typedef {{ by: 'person', texts: string[] } | { by: 'model' }} Move
 * @typedef {{ step: Step, key: string }} Chosen
 */

/**
 * The step that is due. Without any script the model says `ok`: side calls of a program (a title, a summary) end here.
 * @param {Move[]} moves
 * @returns {Chosen | null}
 */
export function chooseStep(moves) {
  for (let at = moves.length - 1; at >= 0; at--) {
    const move = moves[at]
    if (move?.by !== 'person') continue
    // Programs merge texts that follow one another into one message: the last one that holds a script counts.
    const script = move.texts.flatMap((text) => findScript(text) ?? []).at(-1)
    if (!script) continue
    const played = moves.slice(at + 1).filter(({ by }) => by === 'model').length
    const step = script.steps[played] ?? { text: `(script over, step ${played})` }
    return { step: step.recall ? { ...step, text: recall(moves.slice(0, at)) } : step, key: `${script.raw}#${played}` }
  }
  return null
}

/** @param {Move[]} earlier */
function recall(earlier) {
  const texts = earlier.flatMap((move) => (move.by === 'person' ? personTexts(move.texts) : []))
  return `Remembered turns: ${texts.length}. Last user text: ${texts.at(-1) ?? '(none)'}`
}

/**
 * Without what the programs put in front of the person's words.
 * @param {string[]} texts
 */
export function personTexts(texts) {
  return texts.filter((text) => text.trim() !== '' && !/^\s*(<[a-z_-]+>|\[Request interrupted|# AGENTS\.md)/.test(text))
}

/** @param {Step} step @returns {Call[]} */
export function callsOf(step) {
  const one = step.tool === undefined ? [] : [{ name: step.tool, input: step.input ?? {} }]
  return [...one, ...(step.tools ?? []).map((call) => ({ ...call, input: call.input ?? {} }))]
}

/** @param {string} text @param {number} [size] */
export function piecesOf(text, size = 16) {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? []
}
