// The scripted model servers keep no conversation: what they answer follows from the request alone.
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, describe, expect, it } from 'vitest'
import { startAnthropicModel } from '../../../e2e/real-backends/model-servers/anthropic.mjs'
import { startResponsesModel } from '../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { chooseStep, findScript } from '../../../e2e/real-backends/model-servers/script.mjs'
import type { ModelServer } from '../../../e2e/real-backends/model-servers/server.mjs'

let server: ModelServer | undefined
afterEach(() => server?.close())

async function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server?.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, text: await response.text().catch(() => 'cut off') }
}

const person = (...texts: string[]) => ({ by: 'person' as const, texts })
const model = { by: 'model' as const }

describe('the step that is due', () => {
  const two = script([{ text: 'first' }, { text: 'second' }])

  it('is the number of answers since the latest script', () => {
    expect(chooseStep([person(two)])?.step.text).toBe('first')
    expect(chooseStep([person(two), model, person('a tool result')])?.step.text).toBe('second')
    expect(chooseStep([person(two), model, model])?.step.text).toBe('(script over, step 2)')
    expect(chooseStep([person(two), model, person(script([{ text: 'new' }]))])?.step.text).toBe('new')
  })

  it('comes from the last block of a merged message', () => {
    expect(chooseStep([person(two, script([{ text: 'later' }]))])?.step.text).toBe('later')
  })

  it('is nothing without a script: a side call of the program', () => {
    expect(chooseStep([person('Summarise this.')])).toBeNull()
  })

  it('recalls the turns before it, without what programs put in front', () => {
    const recall = script([{ recall: true }])
    expect(chooseStep([person('<system-reminder>x', 'Hello.'), model, person(recall)])?.step.text).toBe(
      'Remembered turns: 1. Last user text: Hello.',
    )
  })

  it('is found by the same rules as in the scripted player', () => {
    const nested = script([{ tool: 'Agent', input: { prompt: script([{ text: '] "' }]) } }])
    expect(findScript(nested)?.steps).toEqual([{ tool: 'Agent', input: { prompt: script([{ text: '] "' }]) } }])
  })
})

describe('the Messages API', () => {
  const ask = (steps: object[], stream = true) =>
    post('/v1/messages', { model: 'm', max_tokens: 9, stream, messages: [{ role: 'user', content: script(steps) }] })

  it('streams text and tool calls, and remembers what it was given', async () => {
    server = await startAnthropicModel()
    const { text } = await ask([{ text: 'Hello you', chunk: 5, tool: 'Bash', input: { command: 'ls' } }])
    expect(text.match(/"text":"(Hello| you)"/g)).toHaveLength(2)
    expect(text).toContain('"stop_reason":"tool_use"')
    expect(server.lastView()).toMatchObject({
      model: 'm',
      maxOutputTokens: 9,
      userTexts: [expect.stringContaining('SCRIPT')],
    })
  })

  it('answers as one body where no stream is asked for', async () => {
    server = await startAnthropicModel()
    expect(JSON.parse((await ask([{ text: 'Hello' }], false)).text)).toMatchObject({
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
    })
  })

  it('fails as often as it is told to', async () => {
    server = await startAnthropicModel()
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await ask([{ error: 529, times: 2, text: 'ok' }])).status)
    expect(statuses).toEqual([529, 529, 200])
    expect(server.requests).toHaveLength(3)
  })

  it('cuts the connection where the script says so', async () => {
    server = await startAnthropicModel()
    expect((await ask([{ drop: true, text: 'Half' }])).text).toBe('cut off')
  })
})

describe('the Responses API', () => {
  it('streams a call, and counts one answer for all the items of one answer', async () => {
    server = await startResponsesModel()
    const first = {
      role: 'user',
      content: [{ type: 'input_text', text: script([{ thinking: 'Hm', tool: 'exec_command' }, { text: 'End' }]) }],
    }
    expect((await post('/v1/responses', { model: 'm', input: [first] })).text).toContain('"type":"function_call"')
    const made = [{ type: 'reasoning' }, { type: 'function_call' }, { type: 'function_call_output' }]
    expect((await post('/v1/responses', { model: 'm', input: [first, ...made] })).text).toContain('"delta":"End"')
  })

  it('reports a failed answer inside the stream', async () => {
    server = await startResponsesModel()
    const input = script([{ streamError: 'server_is_overloaded' }])
    expect((await post('/v1/responses', { model: 'm', input })).text).toContain('response.failed')
  })
})
