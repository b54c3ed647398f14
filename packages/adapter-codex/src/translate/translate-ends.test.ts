/** Recorded turns that were interrupted, failed, or went on in sub-agents. */
import type { BackendOutput } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { asksFor, block, done, out, says, tokens, window } from './effects.test-support'
import { readTrace, replay, replayLines } from './replay.test-support'

describe('interrupts', () => {
  it('[LOG-5] what was said before an interrupt stays, as a finished block', () => {
    expect(replay('interrupt-stream').slice(1, 5)).toEqual([
      ...says('msg_fake000123', 'I started talkin', 'g and then'),
      done({
        reason: 'interrupted',
        duration: 481,
        backendMeta: { turnId: '01a1fff1-d534-7fe2-8b7f-68297660f60a' },
        backendSessionId: '01a1fff1-d4b4-7ec0-9dcd-abc1392bebfb',
      }),
    ])
  })

  it('[LOG-5] thoughts before an interrupt are not finished: what is left of them is the host’s, as a part', () => {
    const text = JSON.stringify(readTrace('interrupt-stream'))
    const lines = JSON.parse(
      text
        .replaceAll('item/agentMessage/delta', 'item/reasoning/summaryTextDelta')
        .replaceAll('"agentMessage"', '"reasoning"'),
    )
    const effects = replayLines(lines)
    const end = effects.findIndex(({ type }) => type === 'turn_completed')
    expect(effects[end]).toMatchObject({ info: { reason: 'interrupted' } })
    const thoughts = (of: typeof effects) => JSON.stringify(of).match(/"kind":"thinking"|"discarded":true/g)
    expect(thoughts(effects.slice(0, end).filter(({ type }) => type === 'live'))).toHaveLength(2)
    expect(thoughts(effects.slice(0, end).filter(({ type }) => type === 'output'))).toBeNull()
  })

  it('[LOG-5.23] a text that Codex left for a steer is marked as a part, and ends where the steer begins, before the answer to it', () => {
    const trace = readTrace('interrupt-stream')
    const begun = trace.findIndex(({ frame }) => frame.method === 'item/started')
    const written = trace.findIndex(({ dir, frame }) => dir === 'in' && frame.method === 'turn/interrupt')
    const answer = JSON.stringify(trace.slice(begun, written)).replaceAll('msg_fake000123', 'msg_answer')
    const effects = replayLines([...trace.slice(0, written), ...JSON.parse(answer)])
    const texts = effects.filter((effect) => JSON.stringify(effect).includes('"kind":"assistant_text"'))
    const left = says('msg_fake000123', 'I started talkin', 'g and then').map((effect) =>
      effect.type === 'output' ? out({ ...effect.output, partial: true } as BackendOutput) : effect,
    )
    expect(texts).toEqual([...left, ...says('msg_answer', 'I started talkin', 'g and then').slice(0, 2)])
  })

  it('a running command is closed and ended, and its late result is not told again', () => {
    expect(replay('interrupt-tool-terminate').slice(2)).toEqual([
      out({ kind: 'tool_result', callId: 'call_fake000043', output: '', isError: true, stopped: true }),
      { type: 'terminate', threadId: '01a20072-74b2-75c3-9c2e-0a1238089eb8', callId: 'call_fake000043' },
      done({
        reason: 'interrupted',
        duration: 372,
        contextUsage: window(10_975),
        usage: tokens(10_955, 20),
        backendMeta: { turnId: '01a20072-74e0-7503-87e6-9937777329c6' },
        backendSessionId: '01a20072-74b2-75c3-9c2e-0a1238089eb8',
      }),
    ])
  })

  it('an open question is withdrawn before the turn ends', () => {
    expect(replay('interrupt-permission').slice(1)).toEqual([
      ...asksFor('call_fake000134', 'touch x'),
      { type: 'withdrawn', callId: 'call_fake000134' },
      out({ kind: 'tool_result', callId: 'call_fake000134', output: '', isError: true, stopped: true }),
      { type: 'terminate', threadId: '01a1fff1-e0c8-7982-93eb-8bcb95139ca1', callId: 'call_fake000134' },
      done({
        reason: 'interrupted',
        duration: 217,
        contextUsage: window(11_057),
        usage: tokens(11_037, 20),
        backendMeta: { turnId: '01a1fff1-e0ec-79a0-8eea-846d61a29214' },
        backendSessionId: '01a1fff1-e0c8-7982-93eb-8bcb95139ca1',
      }),
    ])
  })
})

describe('errors', () => {
  it.each([
    ['api-error-401', 'BACKEND_AUTH', 401],
    ['api-error-429', 'BACKEND_QUOTA', 429],
    ['api-error-529', 'BACKEND_OVERLOADED', 529],
  ])('[T27] %s: a repeated attempt is no failure, the last one fails the turn with %s', (trace, code, httpStatus) => {
    const effects = replay(trace)
    const known = expect.objectContaining({ code, httpStatus })
    expect(effects.slice(1, 3)).toEqual([
      out({ kind: 'system', subtype: 'retry', data: known }),
      out({ kind: 'system', subtype: 'error', data: known }),
    ])
    const ends = effects.flatMap((effect) => (effect.type === 'turn_completed' ? [effect.info] : []))
    expect(ends.map(({ reason, error }) => ({ reason, code: error?.code }))).toEqual([
      { reason: 'failed', code },
      { reason: 'completed', code: undefined },
    ])
  })

  it('[LOG-5] the text of an attempt that is repeated is taken back', () => {
    const error = {
      code: 'BACKEND_ERROR',
      message: 'stream disconnected before completion: Transport error: network error: error decoding response body',
    }
    expect(replay('api-drop').slice(1)).toEqual([
      { type: 'live', delta: { blockId: 'msg_fake000233', kind: 'assistant_text', text: 'half' } },
      { type: 'live', delta: { blockId: 'msg_fake000233', kind: 'assistant_text', text: '', discarded: true } },
      out({
        kind: 'system',
        subtype: 'retry',
        data: { code: 'BACKEND_ERROR', message: 'Reconnecting... 1/1', details: error.message },
      }),
      ...says('msg_fake000236', 'half'),
      out({ kind: 'system', subtype: 'error', data: error }),
      done({
        reason: 'failed',
        error,
        duration: 395,
        backendMeta: { turnId: '01a1fff2-32f8-7521-8a7a-e0f76c56a461' },
        backendSessionId: '01a1fff2-32ce-7f60-bfa8-019b433e8650',
      }),
    ])
  })
})

/** It was at work when the turn of the main thread was over. */
const beside = (threadId: string, callId: string, label: string) => ({
  type: 'background',
  running: [{ taskId: threadId, kind: 'helper', label, callId, canStop: true }],
})

const finished = (taskId: string, callId: string, label: string) => {
  const data = { taskId, kind: 'helper', label, callId, outcome: 'completed' }
  return out({ kind: 'system', subtype: 'background_finished', data })
}

describe('sub-agents', () => {
  it('what a sub-agent says is nested in the call that started it, and it goes by its task', () => {
    const task = 'Please do it. SCRIPT: [{"text":"Subagent report: OK."}]'
    const [main, child] = ['01a1fff6-fc60-75a3-8860-280f9e9e038b', '01a1fff6-fd42-7490-a05b-bd1bba6017cb']
    expect(replay('subagent').slice(1)).toEqual([
      out({
        kind: 'tool_use',
        toolName: 'spawnAgent',
        input: { prompt: task },
        callId: 'call_fake000014',
      }),
      out({
        kind: 'tool_result',
        callId: 'call_fake000014',
        output: 'Started.',
      }),
      ...says('msg_fake000017', 'Parent done.'),
      ...block('msg_fake000020', 'assistant_text', ['Subagent report:', ' OK.'], 'call_fake000014'),
      beside(child, 'call_fake000014', task),
      done({
        reason: 'completed',
        duration: 395,
        contextUsage: window(11_140),
        usage: tokens(22_129, 40),
        backendMeta: { turnId: '01a1fff6-fcb8-7261-a0ff-925336e20284' },
        backendSessionId: main,
      }),
      finished('01a1fff6-fd42-7490-a05b-bd1bba6017cb', 'call_fake000014', task),
      { type: 'background', running: [] },
    ])
  })

  it('a sub-agent that speaks before it is named is heard afterwards', () => {
    const trace = readTrace('subagent')
    const isNaming = ({ frame }: { frame: object }) =>
      JSON.stringify(frame).includes('"collabAgentToolCall"') && JSON.stringify(frame).includes('item/completed')
    const naming = trace.findIndex(isNaming)
    const [line] = trace.splice(naming, 1)
    const isLastOfChild = ({ frame }: { frame: object }) =>
      /item\/completed.*msg_fake000020/.test(JSON.stringify(frame))
    const lastOfChild = trace.findIndex(isLastOfChild)
    trace.splice(lastOfChild + 1, 0, line!)
    const nestedTexts = replayLines(trace).flatMap((effect) =>
      effect.type === 'output' && effect.output.kind === 'assistant_text' ? [effect.output] : [],
    )
    expect(nestedTexts).toEqual([
      { kind: 'assistant_text', text: 'Parent done.', blockId: 'msg_fake000017' },
      {
        kind: 'assistant_text',
        text: 'Subagent report: OK.',
        blockId: 'msg_fake000020',
        parentCallId: 'call_fake000014',
      },
    ])
  })

  it('the second generation of sub-agents has a name, told by its own item, and may outlive the turn', () => {
    const effects = replay('subagent-v2')
    expect(effects.slice(1, 3)).toEqual([
      out({
        kind: 'tool_use',
        toolName: 'spawnAgent',
        input: { agent: '/root/helper', model: 'fake-model' },
        callId: 'call_fake000033',
      }),
      out({ kind: 'tool_result', callId: 'call_fake000033', output: 'Started.' }),
    ])
    expect(effects.slice(-4)).toEqual([
      out({
        kind: 'assistant_text',
        text: 'Parent done.',
        blockId: 'msg_fake000039',
        parentCallId: 'call_fake000033',
      }),
      finished('01a20072-71d4-7502-8bf2-26d7f1a98f8c', 'call_fake000033', 'helper'),
      { type: 'background', running: [] },
      out({ kind: 'system', subtype: 'subagent', data: { status: 'completed', agent: '/root/helper' } }),
    ])
  })
})
