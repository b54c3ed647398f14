import type { HubOnlyEvent, PermissionAsk, SessionEvent } from '@roundhouse/backend-types'
import { allGoldenEvents, goldenEvents } from '@roundhouse/backend-types/fixtures'
import type { SeenEvent } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { buildTranscript, rowIndexOf } from './build-items'
import { givenAnswers } from './given-answers'
import type { Item, ItemOf } from './items'

const seenAll = (events: Array<SessionEvent | HubOnlyEvent | null>): SeenEvent[] =>
  events.map((event, index) => ({
    seq: index + 1,
    at: 1_000 * index,
    storedAt: 0,
    v: 1,
    kind: event?.kind ?? 'hologram',
    event,
    doneBy: { userId: 'u_1', name: 'Ana' },
  }))

const itemsOf = (events: SeenEvent[]): Item[] => buildTranscript(events).items
const toolsOf = (items: Item[]) => items.filter((item): item is ItemOf<'tool'> => item.type === 'tool')

describe('the transcript', () => {
  it('shows something for every golden event, in log order', () => {
    const items = itemsOf(seenAll(allGoldenEvents))
    expect(items.map((item) => item.seq)).toEqual(items.map((item) => item.seq).sort((a, b) => a - b))
    expect(new Set(items.map((item) => item.type))).toEqual(
      new Set(['user', 'assistant', 'thinking', 'tool', 'ask', 'plan', 'marker', 'turn_end']),
    )
  })

  it('[CMD-5.16] shows a steer that begins a turn as its prompt, and says of no other turn that a person began it', () => {
    const began: SessionEvent = { kind: 'turn_started', turnId: 't2', trigger: 'backend' }
    const steer: SessionEvent = { kind: 'user_message', turnId: 't2', promptId: 'p_2', text: 'Mind this.', steer: true }
    const told: SessionEvent = { kind: 'assistant_text', turnId: 't2', text: 'A helper is back.' }
    const rows = (...events: SessionEvent[]) =>
      itemsOf(seenAll(events)).map((item) => (item.type === 'user' ? { steer: item.steer } : item.type))
    expect(rows(began, steer, told)).toEqual([{ steer: false }, 'assistant'])
    expect(rows(began, told, steer)).toEqual(['marker', 'assistant', { steer: true }])
  })

  it('[PERM-5.31] [PERM-5.37] [VIEW-8.9] says which permission answered a call, so that it can be revoked there, and names nobody', () => {
    const label = 'commands that begin with “npm test”, in /w'
    const [asked] = goldenEvents.permission_requested
    const { requestId, callId, digest } = asked.ask
    const by = { grantId: 'grant_2', label, commandId: 'cmd_9' }
    const resolved = {
      kind: 'permission_resolved',
      requestId,
      callId,
      digest,
      outcome: 'applied',
      decision: 'allow',
      by,
    } as const
    const events = seenAll([goldenEvents.tool_use[1] as SessionEvent, asked, resolved])
    const told = (seen: SeenEvent[]) => toolsOf(itemsOf(seen))[0]?.tool
    expect(told(events)).toMatchObject({ permission: `Allowed by an active permission: ${label}`, grantId: 'grant_2' })
  })

  it('pairs a call with its result and its permission by callId', () => {
    const [call, result] = [goldenEvents.tool_use[1] as SessionEvent, goldenEvents.tool_result[1] as SessionEvent]
    const items = itemsOf(
      seenAll([call, goldenEvents.permission_requested[0], goldenEvents.permission_resolved[0], result]),
    )
    expect(items).toHaveLength(1)
    expect(toolsOf(items)[0]?.tool).toMatchObject({
      state: 'failed',
      permission: 'Allowed by Ana',
      startedAt: 0,
      endedAt: 3_000,
    })
  })

  it('[VIEW-8.2] prints no name that the hub does not bear out, whatever the machine says', () => {
    const [call] = [goldenEvents.tool_use[1] as SessionEvent]
    const told = seenAll([call, goldenEvents.permission_resolved[0], goldenEvents.user_message[0]])
    const items = itemsOf(told.map(({ doneBy: _none, ...event }) => event))
    expect(toolsOf(items)[0]?.tool.permission).toBe('Allowed, as reported by the machine')
    expect(items.find((item) => item.type === 'user')).toMatchObject({ author: null })
    expect(JSON.stringify(items)).not.toContain('Ana')
  })

  describe('[PERM-2] an answered question', () => {
    const questions = [{ question: 'Which colour?', options: [{ label: 'Red' }] }, { question: 'Which key?' }]
    const ask: PermissionAsk = {
      ...goldenEvents.permission_requested[0].ask,
      form: {
        fields: [
          { kind: 'text', name: 'Which key?', label: 'Which key?', required: true, secret: true },
          {
            kind: 'choice',
            name: 'Which colour?',
            label: 'What colour shall it be?',
            required: true,
            options: [{ value: 'red', label: 'Dark red' }],
            many: true,
            ownAnswer: true,
          },
        ],
      },
    }
    const answers = { 'Which colour?': ['red', 'Own words'], 'Which key?': 'xyzzy' }
    const asked: SessionEvent = { kind: 'permission_requested', ask }
    const resolved: SessionEvent = {
      kind: 'permission_resolved',
      requestId: ask.requestId,
      callId: ask.callId,
      digest: ask.digest,
      outcome: 'applied',
      decision: 'allow',
      answered: true,
      effectiveInput: { questions, answers },
    }
    const given = [
      { name: 'Which colour?', question: 'What colour shall it be?', answer: 'Dark red, Own words' },
      { name: 'Which key?', question: 'Which key?', answer: 'hidden' },
    ]
    const answeredIn = (events: SessionEvent[]) =>
      itemsOf(seenAll(events)).map((item) =>
        item.type === 'tool' ? item.tool.answered : item.type === 'marker' ? item.marker.answered : undefined,
      )

    it('[PERM-2.16] shows the answers on its card, in the words of its form, and nothing of what is secret', () => {
      const call: SessionEvent = { kind: 'tool_use', callId: ask.callId, toolName: 'AskUserQuestion', input: {} }
      const [answered] = answeredIn([call, asked, resolved])
      expect(answered && givenAnswers(answered)).toEqual(given)
    })

    it('waits for an answer, and any other request for a decision', () => {
      const call: SessionEvent = { kind: 'tool_use', callId: ask.callId, toolName: 'AskUserQuestion', input: {} }
      const { form: _form, ...action } = ask
      const waitsFor = (one: PermissionAsk) =>
        itemsOf(seenAll([call, { kind: 'permission_requested', ask: one }])).map(
          (item) => item.type === 'tool' && item.tool.permission,
        )
      expect([waitsFor(ask), waitsFor(action)]).toEqual([['Waiting for your answer'], ['Waiting for your decision']])
    })

    it('shows them on a line of its own where no call stands for it', () => {
      const [answered] = answeredIn([asked, resolved])
      expect(answered && givenAnswers(answered)).toEqual(given)
    })

    it('shows them by the names of the questions where it was asked on an older page', () => {
      const [answered] = answeredIn([resolved])
      expect(answered && givenAnswers(answered)).toMatchObject([
        { question: 'Which colour?', answer: 'red, Own words' },
        { question: 'Which key?' },
      ])
      const byId = { questions: [{ id: 'q1', question: 'Which size?' }], answers: { q1: true } }
      expect(givenAnswers({ input: byId })).toEqual([{ name: 'q1', question: 'Which size?', answer: 'Yes' }])
    })

    it.each([undefined, null, 'text', { answers: 'x' }, { content: [1] }])('bears the odd input %j', (input) => {
      expect(givenAnswers({ input })).toEqual([])
    })
  })

  it('[PERM-2.26] shows on the card what ran instead of what was asked', () => {
    const [call, resolved] = [goldenEvents.tool_use[1] as SessionEvent, goldenEvents.permission_resolved[0]]
    const edited = { ...resolved, edited: true, effectiveInput: { command: 'ls -l' } } as SessionEvent
    expect(toolsOf(itemsOf(seenAll([call, edited])))[0]?.tool).toMatchObject({
      permission: 'Allowed by Ana, edited',
      ran: { command: 'ls -l' },
    })
  })

  it('keeps an open ask at its place until it is resolved', () => {
    const items = itemsOf(seenAll([goldenEvents.permission_requested[0]]))
    expect(items.map((item) => item.type)).toEqual(['ask'])
  })

  it('nests what a sub-agent did under the call that started it', () => {
    const agent: SessionEvent = { kind: 'tool_use', callId: 'call_agent', toolName: 'Agent', input: { prompt: 'look' } }
    const items = itemsOf(seenAll([agent, goldenEvents.assistant_text[3] as SessionEvent]))
    expect(items).toHaveLength(1)
    expect(toolsOf(items)[0]?.tool.children.map((child) => child.type)).toEqual(['assistant'])
  })

  it('[RES-2] marks a call that the program never finished as interrupted', () => {
    const call: SessionEvent = { kind: 'tool_use', callId: 'call_4', toolName: 'Bash', input: {} }
    const items = itemsOf(seenAll([call, goldenEvents.tool_result[3] as SessionEvent]))
    expect(toolsOf(items)[0]?.tool.state).toBe('interrupted')
  })

  it('a call that a person stopped has not failed, and keeps what it gave and what the model read', () => {
    const call: SessionEvent = { kind: 'tool_use', callId: 'c', toolName: 'Bash', input: {} }
    const ended = { kind: 'tool_result', callId: 'c', output: 'so far', isError: true, stopped: true } as const
    expect(toolsOf(itemsOf(seenAll([call, { ...ended, toModel: 'STOP.' }])))[0]?.tool).toMatchObject({
      state: 'stopped',
      output: 'so far',
      toModel: 'STOP.',
      endedAt: 1_000,
    })
  })

  describe('[SES-6] a call whose command or helper runs on in the background', () => {
    const call: SessionEvent = { kind: 'tool_use', callId: 'c', toolName: 'Bash', input: {} }
    const answer: SessionEvent = { kind: 'tool_result', callId: 'c', output: '', background: true, toModel: 'b1' }
    const system = (subtype: string, data: object): SessionEvent => ({ kind: 'system', subtype, data })
    const finished = (data: object) =>
      system('background_finished', { kind: 'command', label: 'x', callId: 'c', ...data })
    const stopped = system('background_ended', { callId: 'c', why: 'stopped' })
    const gone = system('background_ended', { callId: 'c', why: 'program_ended', output: 'Listening' })
    const toolOf = (...events: SessionEvent[]) => toolsOf(itemsOf(seenAll(events)))[0]?.tool

    it('is neither done nor over with its answer', () => {
      expect(toolOf(call, answer)).toMatchObject({ state: 'background', beside: {}, toModel: 'b1' })
      expect(toolOf(call, answer)?.endedAt).toBeUndefined()
    })

    it.each([
      ['done', finished({ outcome: 'completed', exitCode: 0 }), { exitCode: 0 }],
      ['failed', finished({ outcome: 'failed', exitCode: 3, output: 'bad' }), { exitCode: 3, output: 'bad' }],
      ['failed', finished({ outcome: 'failed', message: 'API Error' }), { message: 'API Error' }],
      ['stopped', finished({ outcome: 'stopped' }), {}],
      ['stopped', stopped, {}],
      ['interrupted', gone, { output: 'Listening' }],
    ])('is %s as its end says, and took as long as it ran', (state, end, beside) => {
      expect(toolOf(call, answer, end)).toMatchObject({ state, startedAt: 0, endedAt: 2_000, beside: { end: beside } })
    })

    it('keeps what its program said when the event of the person follows', () => {
      const [end] = [finished({ outcome: 'stopped', output: 'so far' })]
      expect(toolOf(call, answer, end, stopped)).toMatchObject({
        endedAt: 2_000,
        beside: { end: { output: 'so far' } },
      })
    })

    it('may be over before it is answered', () => {
      const end = finished({ outcome: 'failed', exitCode: 1 })
      expect(toolOf(call, end, answer)).toMatchObject({ state: 'failed', endedAt: 1_000, toModel: 'b1' })
    })

    it('is told by a log of an earlier release as stopped, with the answer as its output', () => {
      const earlier: SessionEvent = { kind: 'tool_result', callId: 'c', output: 'Runs as b1' }
      expect(toolOf(call, earlier, stopped)).toMatchObject({ state: 'stopped', output: 'Runs as b1' })
    })

    it('stays as it is where the event is about another call, or cannot be read', () => {
      const cut = system('background_finished', { cut: true, head: '', tail: '', bytes: 1, sha256: 'x' })
      expect(toolOf(call, answer, finished({ callId: 'other', outcome: 'failed' }), cut)?.state).toBe('background')
    })
  })

  it('shows a result whose call lies on an older page', () => {
    const items = itemsOf(seenAll([goldenEvents.tool_result[0]]))
    expect(toolsOf(items)[0]?.tool.state).toBe('done')
  })

  it('[BAD-2] [BAD-3] shows what could not be read instead of hiding it', () => {
    const tombstone: HubOnlyEvent = {
      kind: 'tombstone',
      code: 'MALFORMED_FRAME',
      path: 'text',
      bytes: 12,
      sha256: 'a'.repeat(64),
    }
    const items = itemsOf(seenAll([tombstone, null]))
    expect(items.map((item) => item.type)).toEqual(['unsupported', 'unsupported'])
  })

  it('[LOG-2.3] shows a gap with its range', () => {
    const [item] = itemsOf(seenAll([goldenEvents.gap[0]]))
    expect(item).toMatchObject({
      type: 'marker',
      marker: { tone: 'failed', text: expect.stringContaining('12 to 40') },
    })
  })

  it('does not count the time of a person as that of a call, of its sub-agent, or of the turn', () => {
    const use = (callId: string, parentCallId?: string) =>
      ({ kind: 'tool_use', callId, toolName: 'Task', input: {}, ...(parentCallId ? { parentCallId } : {}) }) as const
    const [asks, resolved] = [goldenEvents.permission_requested[0], goldenEvents.permission_resolved[0]]
    const ask = { ...asks, ask: { ...asks.ask, callId: 'step', turnId: 'turn_1' } }
    const items = itemsOf(
      seenAll([
        use('agent'),
        use('step', 'agent'),
        ask,
        { ...resolved, requestId: ask.ask.requestId, callId: 'step' },
        { kind: 'tool_result', callId: 'step', output: 'ok' },
        { kind: 'tool_result', callId: 'agent', output: 'ok' },
        { kind: 'turn_completed', turnId: 'turn_1', reason: 'completed' } as SessionEvent,
      ]),
    )
    const [agent] = toolsOf(items)
    const [step] = toolsOf(agent?.tool.children ?? [])
    for (const call of [agent, step]) expect(call?.tool.waits).toEqual([{ from: 2_000, to: 3_000 }])
    expect(items.at(-1)).toMatchObject({ type: 'turn_end', waitedMs: 1_000 })
  })

  it('[RES-2] tells a crash once, with the turn that it ended', () => {
    const crashed = { ...goldenEvents.process_exited[0], cause: 'crashed', code: 1, signal: null } as SessionEvent
    const end = { kind: 'turn_completed', turnId: 't', reason: 'process_exited' } as SessionEvent
    const items = itemsOf(seenAll([crashed, end]))
    expect(items).toMatchObject([{ type: 'turn_end', exit: { text: 'The program crashed (code 1).' } }])
  })

  it('tells a call that was refused from one that failed by itself', () => {
    const [call, result] = [goldenEvents.tool_use[0], goldenEvents.tool_result[0]]
    const resolved = goldenEvents.permission_resolved[0]
    const refusal: SessionEvent = { ...resolved, callId: call.callId, decision: 'deny' }
    const denied = itemsOf(seenAll([call, refusal, { ...result, callId: call.callId, isError: true }]))
    expect(toolsOf(denied)[0]?.tool).toMatchObject({ state: 'failed', refused: true })
    const allowed = itemsOf(seenAll([call, { ...refusal, decision: 'allow' }]))
    expect(toolsOf(allowed)[0]?.tool.refused).toBe(false)
  })
})

describe('rowIndexOf', () => {
  const call = (callId: string, parentCallId?: string): SessionEvent => ({
    kind: 'tool_use',
    callId,
    toolName: 'Task',
    input: {},
    ...(parentCallId ? { parentCallId } : {}),
  })
  const text: SessionEvent = { kind: 'assistant_text', text: 'Meanwhile.' }
  const result = (callId: string): SessionEvent => ({ kind: 'tool_result', callId, output: 'ok' })

  it('leads from a result, or a sub-agent’s step, to the row of the outermost call', () => {
    const transcript = buildTranscript(seenAll([text, call('a'), call('b', 'a'), text, result('b'), result('a'), text]))
    expect(transcript.items.map((item) => item.seq)).toEqual([1, 2, 4, 7])
    expect([1, 2, 3, 4, 5, 6, 7].map((seq) => rowIndexOf(transcript, seq))).toEqual([0, 1, 1, 2, 1, 1, 3])
  })

  it('takes the row before where an event shows nothing, and knows what lies before all rows', () => {
    const silent: SessionEvent = { kind: 'turn_started', turnId: 't', trigger: 'prompt' }
    const transcript = buildTranscript(seenAll([text, silent, text]))
    expect([0, 2, 9].map((seq) => rowIndexOf(transcript, seq))).toEqual([-1, 0, 1])
  })
})
