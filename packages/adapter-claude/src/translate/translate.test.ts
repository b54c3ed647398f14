import { describe, expect, it } from 'vitest'
import { endsOf, liveOf, outputsOf, replay } from './replay.test-support'
import { Translator } from './translate'

/** The recordings are of the real program; their last part, where it matters, names an older version. */
describe('recorded dialogues', () => {
  it('a turn of text: thinking and answer, live and finished under one id', () => {
    const played = replay('text-only')
    const id = '00000000-0000-4000-8000-000000000001'
    expect(played.events.slice(1)).toEqual([
      { type: 'live', delta: { blockId: 'b-1', kind: 'thinking', text: 'Let me think.' } },
      { type: 'output', output: { kind: 'thinking', text: 'Let me think.', blockId: 'b-1' } },
      { type: 'live', delta: { blockId: 'b-2', kind: 'assistant_text', text: 'Hello from the s' } },
      { type: 'live', delta: { blockId: 'b-2', kind: 'assistant_text', text: 'cripted model. T' } },
      { type: 'live', delta: { blockId: 'b-2', kind: 'assistant_text', text: 'his is a text-on' } },
      { type: 'live', delta: { blockId: 'b-2', kind: 'assistant_text', text: 'ly turn.' } },
      {
        type: 'output',
        output: {
          kind: 'assistant_text',
          text: 'Hello from the scripted model. This is a text-only turn.',
          blockId: 'b-2',
        },
      },
      {
        type: 'turn_completed',
        info: {
          backendSessionId: id,
          duration: 370,
          reason: 'completed',
          usage: { inputTokens: 13_575, outputTokens: 33, cachedTokens: 0, cacheWriteTokens: 0 },
          numTurns: 1,
          stopReason: 'end_turn',
          apiDuration: 135,
          backendMeta: { subtype: 'success', terminalReason: 'completed', numTurns: 1, stopReason: 'end_turn' },
          cost: 0.05496,
          contextUsage: { used: 13_608, total: 1_000_000 },
        },
      },
    ])
    expect(played.events[0]).toMatchObject({
      output: {
        kind: 'system',
        subtype: 'init',
        data: { model: 'claude-opus-5-5', mode: 'default', cwd: '/workspace' },
      },
    })
    expect(played.raw).toEqual(['system/status', 'system/thinking_tokens'])
  })

  it('an allowed call with an edited input: the ask carries what was asked, the answer what was edited', () => {
    const played = replay('edit-input')
    const input = { command: 'echo a > 1.txt', description: 'd' }
    expect(played.events.slice(1, 4)).toEqual([
      { type: 'output', output: { kind: 'tool_use', toolName: 'Bash', input, callId: 'toolu_fake000046' } },
      {
        type: 'ask',
        request: {
          callId: 'toolu_fake000046',
          toolName: 'Bash',
          input,
          meta: {
            backend: 'claude',
            reason: 'Touches /workspace/1.txt',
            cwd: '/workspace',
            canEdit: true,
            canExplainDeny: true,
            blockedPath: '/workspace/1.txt',
            suggestedCommands: [['echo', 'a']],
          },
        },
      },
      {
        type: 'output',
        output: { kind: 'tool_result', callId: 'toolu_fake000046', output: '(Bash completed with no output)' },
      },
    ])
    expect(played.answers).toHaveLength(1)
    expect(played.answers[0]?.ours).toEqual(played.answers[0]?.recorded)
  })

  it('a denied call: the reason is its result and the turn goes on', () => {
    const played = replay('tool-deny')
    expect(outputsOf(played).slice(1)).toEqual([
      { kind: 'tool_result', callId: 'toolu_fake000028', output: 'Not allowed by policy', isError: true },
      { kind: 'assistant_text', text: 'Understood, not writing.' },
    ])
    expect(endsOf(played).map(({ reason }) => reason)).toEqual(['completed'])
    expect(played.answers[0]?.ours).toEqual(played.answers[0]?.recorded)
  })

  it('an abort ends the turn as interrupted, and the next one works', () => {
    const played = replay('tool-deny-interrupt')
    expect(endsOf(played).map(({ reason, error }) => [reason, error])).toEqual([
      ['interrupted', undefined],
      ['completed', undefined],
    ])
    expect(played.answers[0]?.ours).toEqual(played.answers[0]?.recorded)
  })

  it('[PERM-4] an ask that nobody answered fails its call and is no refusal', () => {
    const played = replay('permission-error-response')
    expect(outputsOf(played)[1]).toEqual({
      kind: 'tool_result',
      callId: 'toolu_fake000038',
      output: 'Tool permission request failed: Error: host blew up',
      isError: true,
    })
    expect(played.answers[0]?.ours).toEqual(played.answers[0]?.recorded)
  })

  it('two calls of one answer are asked one after the other', () => {
    const order = replay('parallel-tools').events.flatMap((event) => {
      if (event.type === 'ask') return [`ask ${event.request.callId}`]
      if (event.type !== 'output' || !('callId' in event.output)) return []
      return [`${event.output.kind} ${event.output.callId}`]
    })
    expect(order).toEqual([
      'tool_use toolu_fake000040',
      'ask toolu_fake000040',
      'tool_use toolu_fake000041',
      'tool_result toolu_fake000040',
      'ask toolu_fake000041',
      'tool_result toolu_fake000041',
    ])
  })

  it('[LOG-5] an interrupted stream keeps what was written, under the id of its deltas', () => {
    const played = replay('interrupt-stream')
    expect(liveOf(played).map(({ blockId, text }) => [blockId, text])).toEqual([
      ['b-1', 'I started talkin'],
      ['b-1', 'g and then'],
      ['b-2', 'alive after inte'],
      ['b-2', 'rrupt'],
    ])
    expect(outputsOf(played)).toEqual([
      { kind: 'assistant_text', text: 'I started talking and then', blockId: 'b-1' },
      { kind: 'assistant_text', text: 'alive after interrupt', blockId: 'b-2' },
    ])
    expect(endsOf(played).map(({ reason, cost }) => [reason, cost])).toEqual([
      ['interrupted', 0.054444],
      ['completed', 0.054736],
    ])
  })

  it('an interrupted tool call gets its result before the turn ends', () => {
    const played = replay('interrupt-tool')
    expect(outputsOf(played).map(({ kind }) => kind)).toEqual([
      'assistant_text',
      'tool_use',
      'tool_result',
      'assistant_text',
    ])
    expect(outputsOf(played)[2]).toEqual({
      ...{ kind: 'tool_result', callId: 'toolu_fake000051', output: '', isError: true, stopped: true },
      toModel: expect.stringMatching(/^The user doesn't want to proceed with this tool use/),
    })
    expect(endsOf(played).map(({ reason }) => reason)).toEqual(['interrupted', 'completed'])
  })

  it("the CLI's marks around a result are no part of it, and a long output is more than its preview", () => {
    const results = outputsOf(replay('tool-words')).filter(({ kind }) => kind === 'tool_result')
    expect(results.map((result) => ({ ...result, callId: undefined }))).toEqual(
      [
        { output: 'File does not exist. Note: your current working directory is /workspace.', isError: true },
        { output: expect.stringMatching(/^InputValidationError: Bash failed .*provided$/s), isError: true },
        { output: 'File does not exist. Note: your current working directory is /workspace.', isError: true },
        {
          output: expect.stringMatching(
            /^1\n2\n[\d\n]*\(The first 200 of 1,288,895 characters. The machine keeps all of them in \/home\/user\/\S+\.txt\)$/,
          ),
          toModel: expect.stringMatching(/^<persisted-output>\nOutput too large \(1.2MB\)/),
        },
        { output: 'Exit code 7\nout\nerr', isError: true },
      ].map((result) => ({ kind: 'tool_result', callId: undefined, ...result })),
    )
  })

  it('what only looks like a mark of the CLI is left as it is', () => {
    const translator = new Translator({
      ...{ backendSessionId: 's', workDir: '/', blockPrefix: 'b', maxOutputTokens: undefined, costBaseline: 0 },
    })
    const says = (content: string, isError: boolean) =>
      translator
        .accept({
          type: 'user',
          message: { content: [{ type: 'tool_result', tool_use_id: 'c', content, is_error: isError }] },
        })
        .map((event) => event.type === 'output' && event.output)
    for (const [content, isError] of [
      ['<tool_use_error>x</tool_use_error> and more', true],
      ['<tool_use_error>x</tool_use_error>', false],
      ['<persisted-output>\nFull output saved to: /etc/passwd\n</persisted-output>', false],
    ] as const) {
      expect(says(content, isError)).toEqual([
        { kind: 'tool_result', callId: 'c', output: content, ...(isError ? { isError } : {}) },
      ])
    }
  })

  it('an interrupt withdraws the open ask first', () => {
    const kinds = replay('interrupt-permission').events.map((event) => event.type)
    expect(kinds.slice(1, 6)).toEqual(['output', 'ask', 'withdrawn', 'output', 'turn_completed'])
  })

  it('[LOG-5] every attempt that broke off is discarded, and what came instead is a block of its own', () => {
    const discarded = (blockId: string) => ({ blockId, kind: 'assistant_text', text: '', discarded: true })
    const half = (blockId: string) => ({ blockId, kind: 'assistant_text', text: 'half' })
    expect(liveOf(replay('api-drop'))).toEqual([half('b-1'), discarded('b-1'), half('b-2'), discarded('b-2')])
    expect(outputsOf(replay('api-drop')).at(-1)).toEqual({ kind: 'assistant_text', text: 'half' })
  })

  it('[LOG-5] 2.1.197 does not say that an attempt broke off: another message does', () => {
    const played = replay('drop-197')
    expect(played.events.slice(1, 4)).toEqual([
      { type: 'live', delta: { blockId: 'b-1', kind: 'assistant_text', text: 'half of the text' } },
      { type: 'live', delta: { blockId: 'b-1', kind: 'assistant_text', text: '', discarded: true } },
      { type: 'output', output: { kind: 'assistant_text', text: 'half of the text' } },
    ])
  })

  it('a sub-agent nests under the call that started it, with its text, its asks and its progress', () => {
    const played = replay('subagent-text')
    const parentCallId = 'toolu_fake000001'
    const nested = outputsOf(played).filter((output) => 'parentCallId' in output)
    expect(nested).toEqual([
      { kind: 'thinking', text: 'sub think', parentCallId },
      { kind: 'assistant_text', text: 'I am sub', parentCallId },
      {
        kind: 'tool_use',
        toolName: 'Bash',
        input: { command: 'echo a > q.txt', description: 'd' },
        callId: 'toolu_fake000004',
        parentCallId,
      },
      { kind: 'tool_result', callId: 'toolu_fake000004', output: '(Bash completed with no output)', parentCallId },
      { kind: 'assistant_text', text: 'Sub report OK.', parentCallId },
    ])
    expect(outputsOf(played)).toContainEqual({ kind: 'tool_progress', callId: parentCallId, text: 'Running d' })
    const ask = played.events.find((event) => event.type === 'ask')
    expect(ask).toMatchObject({ request: { callId: 'toolu_fake000004', meta: { agentId: 'a6e740e5633c0b364' } } })
    expect(endsOf(played)).toHaveLength(1)
  })

  it('[LOG-7] a turn that nobody sent is announced and ends like any other', () => {
    const types = replay('background-turn').events.map((event) => event.type)
    expect(types.filter((type) => type.startsWith('turn'))).toEqual([
      'turn_completed',
      'turn_started',
      'turn_completed',
    ])
    expect(types.slice(types.indexOf('turn_started'))).toEqual(['turn_started', 'live', 'output', 'turn_completed'])
  })

  it('a steer stays inside its turn', () => {
    expect(replay('steer').events.filter((event) => event.type.startsWith('turn'))).toMatchObject([
      { info: { reason: 'completed' } },
    ])
  })

  it('the plan follows the task tools', () => {
    const plans = outputsOf(replay('plan-197')).flatMap((output) => (output.kind === 'plan' ? [output.items] : []))
    const item = (text: string, status: string) => ({ text, status })
    expect(plans).toEqual([
      [item('Do A', 'pending')],
      [item('Do A', 'in_progress')],
      [item('Do A', 'in_progress'), item('Do B', 'pending')],
      [item('Do A', 'completed'), item('Do B', 'pending')],
    ])
  })

  it('a failed model call is no word of the assistant; the turn fails by its status, and the next one works', () => {
    const message =
      'API Error: Repeated 529 Overloaded errors. The API is at capacity — this is usually temporary. Try again in a moment. If it persists, check your inference gateway (127.0.0.1:PORT).'
    const played = replay('api-error-529')
    expect(outputsOf(played)).toEqual([
      {
        kind: 'system',
        subtype: 'api_retry',
        data: { attempt: 1, max_retries: 2, retry_delay_ms: 521, error_status: 529, error: 'overloaded' },
      },
      {
        kind: 'system',
        subtype: 'api_retry',
        data: { attempt: 2, max_retries: 2, retry_delay_ms: 1064, error_status: 529, error: 'overloaded' },
      },
      { kind: 'system', subtype: 'api_error', data: { message, category: 'server_error', status: 529 } },
      { kind: 'assistant_text', text: 'recovered' },
    ])
    expect(endsOf(played).map(({ reason, error }) => [reason, error])).toEqual([
      ['failed', { code: 'BACKEND_OVERLOADED', message }],
      ['completed', undefined],
    ])
  })

  it('[T27] a program without a login fails the turn with BACKEND_AUTH', () => {
    expect(endsOf(replay('no-api-key'))[0]).toMatchObject({
      reason: 'failed',
      error: { code: 'BACKEND_AUTH', message: 'Not logged in · Please run /login' },
    })
  })

  it('the limits of a turn have their own reasons', () => {
    expect(endsOf(replay('max-turns'))[0]).toMatchObject({ reason: 'max_turns', cost: 0.055016 })
    expect(endsOf(replay('max-budget'))[0]).toMatchObject({ reason: 'budget', cost: 0.055064 })
  })

  it('a call that a spent budget cut off does not stay open', () => {
    expect(outputsOf(replay('max-budget')).slice(1)).toEqual([
      {
        kind: 'tool_result',
        callId: 'toolu_fake000355',
        output: 'The turn ended before this call reported.',
        isError: true,
      },
    ])
  })

  it('commands of the program answer as text, cost what they cost, and a compaction is told', () => {
    const played = replay('slash-command')
    expect(endsOf(played).map(({ cost }) => cost)).toEqual([0.054384, 0, 0, 0.12698, 0.05646])
    expect(endsOf(played)[3]?.contextUsage).toEqual({ used: 2559, total: 1_000_000 })
    const told = outputsOf(played).map((output) => (output.kind === 'system' ? output.subtype : output.kind))
    expect(told).toEqual([
      'assistant_text',
      'assistant_text',
      'assistant_text',
      'status',
      'status',
      'conversation_compacted',
      'assistant_text',
    ])
    const compaction = outputsOf(played).find(
      (output) => output.kind === 'system' && output.subtype === 'conversation_compacted',
    )
    expect(compaction).toMatchObject({ data: { tokensBefore: 13_739, tokensAfter: 2_559 } })
  })

  it('[LOG-4] a cleared conversation is another one, which holds nothing of what was said', () => {
    const played = replay('clear')
    const [before, after] = ['efcd1aa7-4202-4ee2-88cf-c2765b8dec21', '7184d439-2f39-4565-8e08-1ccc7fb7960e']
    const moved = played.events.findIndex(({ type }) => type === 'session')
    expect(played.events.slice(moved, moved + 2)).toEqual([
      { type: 'session', info: { backendSessionId: after, provisional: true, resumed: false } },
      { type: 'output', output: { kind: 'system', subtype: 'conversation_cleared', data: {} } },
    ])
    expect(played.events.filter(({ type }) => type === 'session')).toHaveLength(1)
    expect(endsOf(played).map(({ backendSessionId }) => backendSessionId)).toEqual([before, after, after])
    expect(endsOf(played)[1]?.contextUsage).toMatchObject({ used: 0 })
  })

  it('[RES-5] a dead conversation that is only found out in a turn fails that turn', () => {
    expect(endsOf(replay('resume-unknown'))[0]).toMatchObject({
      reason: 'failed',
      error: { code: 'RESUME_UNAVAILABLE' },
    })
  })
})
