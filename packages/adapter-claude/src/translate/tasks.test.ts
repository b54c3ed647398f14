import { describe, expect, it } from 'vitest'
import { replay } from './replay.test-support'
import type { Translated } from './translated'

/** What is told, in one word each, with what it is about. */
function told(event: Translated): string[] {
  switch (event.type) {
    case 'ask':
      return [`ask ${event.request.callId}`]
    case 'withdrawn':
      return [`withdrawn ${event.callId}`]
    case 'background':
      return [`background ${event.running.map(({ kind, label, callId }) => `${kind} ${label} ${callId}`).join(', ')}`]
    case 'turn_started':
      return ['turn']
    case 'turn_completed':
      return [`end ${event.info.reason}`]
    case 'output':
      if (event.output.kind === 'system' && event.output.subtype === 'background_finished') return ['finished']
      return event.output.kind === 'tool_use' || event.output.kind === 'tool_result'
        ? [`${event.output.kind} ${event.output.callId} of ${event.output.parentCallId ?? 'main'}`]
        : []
    default:
      return []
  }
}
const endsIn = (trace: string) =>
  replay(trace).events.flatMap((event) =>
    event.type === 'output' && event.output.kind === 'system' && event.output.subtype === 'background_finished'
      ? [event.output.data]
      : [],
  )
const agent = (n: number) => `toolu_scripted00000${n}`
const call = (n: number) => `toolu_scripted0000${String(n).padStart(2, '0')}`

/** Recorded of the real program. */
describe('what runs beside the turns', () => {
  it('[PERM-1] [SES-6] two helpers ask, turns end without them, and their answers and ends are told', () => {
    const played = replay('background-helpers')
    const [one, two] = [`helper one ${agent(1)}`, `helper two ${agent(2)}`]
    expect(played.events.flatMap(told)).toEqual([
      `tool_use ${agent(1)} of main`,
      'background helper one undefined',
      `background ${one}`,
      `tool_result ${agent(1)} of main`,
      `tool_use ${agent(2)} of main`,
      `background ${one}, helper two undefined`,
      `background ${one}, ${two}`,
      `tool_result ${agent(2)} of main`,
      `tool_use ${call(7)} of ${agent(1)}`,
      `ask ${call(7)}`,
      `tool_use ${call(10)} of ${agent(2)}`,
      `ask ${call(10)}`,
      'end completed',
      'end completed',
      `tool_result ${call(10)} of ${agent(2)}`,
      `tool_result ${call(7)} of ${agent(1)}`,
      'finished',
      `background ${one}`,
      'finished',
      'background ',
      'turn',
      'end completed',
    ])
    expect(played.answers.map(({ ours }) => ours)).toEqual(played.answers.map(({ recorded }) => recorded))
  })

  it('[SES-6] a command in the background is told with its call, then with its file, until it was stopped', () => {
    const { events } = replay('background-command')
    expect(events.flatMap(told)).toEqual([
      `tool_use ${call(21)} of main`,
      'background command sleeper undefined',
      `background command sleeper ${call(21)}`,
      `tool_result ${call(21)} of main`,
      `background command sleeper ${call(21)}`,
      'end completed',
      'finished',
      'background ',
    ])
    const files = events
      .flatMap((event) => (event.type === 'background' ? event.running : []))
      .map((task) => task.outputFile)
    const path = '-workspace/00000000-0000-4000-8000-000000000001/tasks/bcvy03ihs.output'
    expect(files).toEqual([undefined, undefined, { folder: '/tmp/claude-UID', path }])
  })

  it('[PERM-1] [LOG-7] an interrupt ends the helpers too: question and call are closed once, with their helper', () => {
    expect(replay('background-interrupt').events.flatMap(told)).toEqual([
      `tool_use ${call(26)} of main`,
      'background helper three undefined',
      `background helper three ${call(26)}`,
      `tool_result ${call(26)} of main`,
      `tool_use ${call(31)} of ${call(26)}`,
      `ask ${call(31)}`,
      `withdrawn ${call(31)}`,
      'finished',
      `tool_result ${call(31)} of ${call(26)}`,
      'background ',
      'end interrupted',
    ])
  })

  it('[SES-6] how one ended is told by its program', () => {
    const command = { taskId: 'bcvy03ihs', kind: 'command', label: 'sleeper', callId: call(21) }
    expect(endsIn('background-command')).toEqual([{ ...command, outcome: 'stopped' }])
    expect(endsIn('background-turn')).toEqual([
      {
        taskId: 'bjj2ws658',
        kind: 'command',
        label: 'd',
        callId: 'toolu_fake000011',
        outcome: 'completed',
        exitCode: 0,
      },
    ])
    expect(endsIn('background-interrupt')).toMatchObject([{ kind: 'helper', outcome: 'stopped' }])
    expect(endsIn('background-failed')).toEqual([
      {
        taskId: expect.any(String),
        kind: 'command',
        label: 'd',
        callId: 'toolu_fake000001',
        outcome: 'failed',
        exitCode: 3,
      },
    ])
    const message = expect.stringMatching(/^Agent terminated early due to an API error: API Error: 400/)
    expect(endsIn('background-helper-failed')).toEqual([
      {
        taskId: expect.any(String),
        kind: 'helper',
        label: 'one',
        callId: 'toolu_fake000001',
        outcome: 'failed',
        message,
      },
    ])
    expect(endsIn('subagent-text'), 'a helper that its turn waits for').toEqual([])
  })

  it('the answer of a call whose command runs on is for the model, and no output', () => {
    const results = replay('background-command').events.flatMap((event) =>
      event.type === 'output' && event.output.kind === 'tool_result' ? [event.output] : [],
    )
    const toModel = expect.stringMatching(/^Command running in background with ID: bcvy03ihs/)
    expect(results).toEqual([{ kind: 'tool_result', callId: call(21), output: '', background: true, toModel }])
  })
})
