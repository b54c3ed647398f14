/** Rules of the translator that no recording shows. */
import { describe, expect, it } from 'vitest'
import type { Effect } from './effects'
import { Translator } from './translate'

const threadId = 'T'
const item = (type: string, fields: object) => ({ threadId, turnId: 'U', item: { type, ...fields } })
const isNews = (effect: Effect) => effect.type !== 'output' || effect.output.kind !== 'raw'
const running = { id: 'c1', command: 'make', cwd: '/w', processId: '7', status: 'inProgress' }

function started(): Translator {
  const translator = new Translator(threadId)
  translator.turn.request()
  translator.notification('turn/started', { threadId, turn: { id: 'U' } })
  return translator
}

const approval = (id: number, fields: object = {}) =>
  [
    id,
    'item/commandExecution/requestApproval',
    { kind: 'command', threadId, turnId: 'U', itemId: 'c1', command: 'make', cwd: '/w', ...fields },
  ] as const

describe('questions', () => {
  it('a second question about the same call waits for the answer to the first', () => {
    const translator = started()
    translator.notification('item/started', item('commandExecution', running))
    const first = translator.request(...approval(0, { approvalId: 'a' }))
    const second = translator.request(...approval(1, { approvalId: 'b' }))
    expect([first.map(({ type }) => type), second]).toEqual([['ask'], []])

    const asked = translator.askFor('c1')!
    expect(asked.id).toBe(0)
    const next = translator.decided(asked, { callId: 'c1', decision: 'allow' })
    expect(next).toEqual([
      {
        type: 'ask',
        request: {
          callId: 'c1',
          toolName: 'commandExecution',
          input: { command: 'make', cwd: '/w' },
          meta: { backend: 'codex', canEdit: false, canExplainDeny: true, cwd: '/w', approvalId: 'b' },
        },
      },
    ])
    expect(translator.askFor('c1')?.id).toBe(1)
  })

  it('a question that Codex takes back is withdrawn, one that was answered is not', () => {
    const translator = started()
    translator.request(...approval(0))
    translator.decided(translator.askFor('c1')!, { callId: 'c1', decision: 'allow' })
    expect(translator.notification('serverRequest/resolved', { threadId, requestId: 0 })).toEqual([])

    translator.request(...approval(1))
    expect(translator.notification('serverRequest/resolved', { threadId, requestId: 1 })).toEqual([
      { type: 'withdrawn', callId: 'c1' },
    ])
    expect(translator.askFor('c1')).toBeUndefined()
  })

  it('what an answer would permit besides the command is part of the asked input', () => {
    const network = { host: 'example.org', protocol: 'https' }
    const effects = started().request(...approval(0, { command: null, networkApprovalContext: network }))
    expect(effects.at(-1)).toMatchObject({ type: 'ask', request: { input: { cwd: '/w', network } } })
  })

  it('a request that no person can answer is refused, never left open', () => {
    const effects = started().request(3, 'item/tool/call', { threadId, tool: 'x' })
    expect(effects.filter(isNews)).toEqual([{ type: 'refuse', id: 3, message: 'item/tool/call is not supported.' }])
  })

  it('a patch that nobody could see is refused, not asked about', () => {
    const effects = started().request(4, 'item/fileChange/requestApproval', { threadId, turnId: 'U', itemId: 'unseen' })
    expect(effects.filter(isNews).map(({ type }) => type)).toEqual(['refuse'])
  })

  it('a form of an MCP server is a call of its own, with its result', () => {
    const translator = started()
    const requestedSchema = { properties: { name: { type: 'string' } } }
    const form = { threadId, turnId: 'U', serverName: 'demo', mode: 'form', message: 'Your name?', requestedSchema }
    const effects = translator.request(5, 'mcpServer/elicitation/request', form)
    const call = {
      callId: 'request-5',
      toolName: 'mcp__demo__elicitation',
      input: { message: 'Your name?', mode: 'form', requestedSchema },
    }
    const answerFields = { field: 'content', names: ['name'] }
    const fields = [{ kind: 'text', name: 'name', label: 'name', required: false }]
    const shown = { from: 'demo', message: 'Your name?', fields }
    const meta = {
      backend: 'codex',
      canEdit: true,
      canExplainDeny: true,
      serverName: 'demo',
      form: shown,
      answerFields,
    }
    expect(effects).toEqual([
      { type: 'output', output: { kind: 'tool_use', ...call } },
      { type: 'ask', request: { ...call, meta } },
    ])
    expect(translator.decided(translator.askFor('request-5')!, { callId: 'request-5', decision: 'deny' })).toEqual([
      { type: 'output', output: { kind: 'tool_result', callId: 'request-5', output: 'Refused.', isError: true } },
    ])
  })
})

describe('what may not stay hidden', () => {
  it('text that the model types into a running command is shown', () => {
    const typed = { threadId, turnId: 'U', itemId: 'c1', processId: '7', stdin: 'rm -r x\n' }
    const method = 'item/commandExecution/terminalInteraction'
    expect(started().notification(method, typed)).toEqual([
      {
        type: 'output',
        output: { kind: 'system', subtype: 'terminal_input', data: { callId: 'c1', text: 'rm -r x\n' } },
      },
    ])
    expect(started().notification(method, { ...typed, stdin: '' })).toEqual([])
  })

  it('text for a running command is asked about as a tool of its own', () => {
    const effects = started().request(...approval(0, { kind: 'writeStdin', approvalId: 'a' }))
    expect(effects.at(-1)).toMatchObject({
      type: 'ask',
      request: { toolName: 'writeStdin', meta: { approvalId: 'a' } },
    })
  })

  it('a patch that changed while it was written is asked about as it is now', () => {
    const translator = started()
    const changes = (diff: string) => [{ path: '/w/a', kind: { type: 'add' }, diff }]
    translator.notification('item/started', item('fileChange', { id: 'f', changes: changes('harmless') }))
    translator.notification('item/fileChange/patchUpdated', { threadId, itemId: 'f', changes: changes('not so') })
    const effects = translator.request(1, 'item/fileChange/requestApproval', { threadId, turnId: 'U', itemId: 'f' })
    expect(effects).toMatchObject([{ type: 'ask', request: { callId: 'f', input: { changes: changes('not so') } } }])
  })
})

describe('turns', () => {
  it('a turn that nobody asked for is told', () => {
    const translator = new Translator(threadId)
    const effects = translator.notification('turn/started', { threadId, turn: { id: 'U' } })
    expect(effects).toEqual([{ type: 'turn_started' }])
    expect(translator.turn.id).toBe('U')
  })

  it('[LOG-7] a turn ends once, also when its end is told twice', () => {
    const translator = started()
    const end = { threadId, turn: { id: 'U', status: 'completed' } }
    const info = { reason: 'completed', backendMeta: { turnId: 'U' }, backendSessionId: threadId }
    expect(translator.notification('turn/completed', end)).toEqual([{ type: 'turn_completed', info }])
    expect(translator.notification('turn/completed', end).filter(isNews)).toEqual([])
  })

  it('[LOG-7] a turn that Codex refuses to start ends as failed', () => {
    const translator = new Translator(threadId)
    translator.turn.request()
    const error = { code: 'BACKEND_ERROR', message: 'thread not found' }
    expect(translator.turnRefused(error)).toEqual([
      { type: 'turn_completed', info: { reason: 'failed', error, backendSessionId: threadId } },
    ])
    expect(translator.turn.isIdle).toBe(true)
  })

  it('the account of a resumed thread starts with the first request, not with the whole past', () => {
    const translator = started()
    const count = (total: number, last: number) =>
      translator.notification('thread/tokenUsage/updated', {
        threadId,
        tokenUsage: { total: { inputTokens: total }, last: { inputTokens: last, totalTokens: last } },
      })
    count(50_000, 900)
    count(51_000, 1000)
    const end = translator.notification('turn/completed', { threadId, turn: { id: 'U', status: 'completed' } })
    expect(end.at(-1)).toMatchObject({ info: { usage: { inputTokens: 1900, outputTokens: 0, cachedTokens: 0 } } })
  })

  it('warns once when the conversation comes close to the window', () => {
    const translator = new Translator(threadId, 10_000)
    const count = (totalTokens: number) =>
      translator
        .notification('thread/tokenUsage/updated', {
          threadId,
          tokenUsage: { total: {}, last: { totalTokens }, modelContextWindow: 110_000 },
        })
        .filter(isNews)
    const warning = {
      used: 86_000,
      hardLimit: 100_000,
      threshold: 85_000,
      distanceToHard: 14_000,
      maxOutputTokens: 10_000,
    }
    expect([count(50_000), count(86_000), count(90_000)]).toEqual([[], [{ type: 'budget', warning }], []])
  })
})

describe('items', () => {
  it.each([
    ['by itself', false, { outcome: 'failed', exitCode: 143 }],
    ['because it is being stopped', true, { outcome: 'stopped' }],
  ])('a command in the background that ends %s is told so, once', (_, stopping, end) => {
    const translator = new Translator(threadId)
    const item = { type: 'commandExecution', id: 'c1', command: 'make', cwd: '/w' }
    translator.notification('turn/started', { threadId, turn: { id: 'U' } })
    translator.notification('item/started', { threadId, item })
    translator.notification('turn/completed', { threadId, turn: { id: 'U', status: 'completed' } })
    if (stopping) translator.commandStopping('c1')
    const over = { ...item, status: 'failed', exitCode: 143, aggregatedOutput: 'so far' }
    const data = { taskId: 'c1', kind: 'command', label: 'make', callId: 'c1', output: 'so far', ...end }
    expect(translator.notification('item/completed', { threadId, item: over })).toEqual([
      { type: 'output', output: { kind: 'system', subtype: 'background_finished', data } },
      { type: 'background', running: [] },
    ])
    expect(translator.commandStopped('c1')).toEqual([])
  })

  it('the output of a running command is live only, and its last part closes an interrupted call', () => {
    const translator = started()
    translator.notification('item/started', item('commandExecution', running))
    const delta = { threadId, turnId: 'U', itemId: 'c1', delta: 'compiling' }
    expect(translator.notification('item/commandExecution/outputDelta', delta)).toEqual([
      { type: 'output', output: { kind: 'tool_progress', callId: 'c1', text: 'compiling' } },
    ])
    const end = translator.notification('turn/completed', { threadId, turn: { id: 'U', status: 'interrupted' } })
    expect(end.slice(0, 2)).toEqual([
      {
        type: 'output',
        output: { kind: 'tool_result', callId: 'c1', output: 'compiling', isError: true, stopped: true },
      },
      { type: 'terminate', threadId, callId: 'c1' },
    ])
  })

  it('a web search without a query yet is told together with its result', () => {
    const translator = started()
    expect(translator.notification('item/started', item('webSearch', { id: 'w', query: '', action: null }))).toEqual([])
    const action = { type: 'search', query: 'codex', queries: null }
    const effects = translator.notification('item/completed', item('webSearch', { id: 'w', query: 'codex', action }))
    expect(effects).toEqual([
      {
        type: 'output',
        output: { kind: 'tool_use', toolName: 'webSearch', input: { query: 'codex', action }, callId: 'w' },
      },
      { type: 'output', output: { kind: 'tool_result', callId: 'w', output: { action } } },
    ])
  })

  it('[LOG-5] the parts of a summary stream as they stand in the finished block', () => {
    const translator = started()
    const piece = (summaryIndex: number, delta: string) =>
      translator.notification('item/reasoning/summaryTextDelta', { threadId, itemId: 'r', summaryIndex, delta })
    const pieces = [piece(0, 'One'), piece(0, ' step.'), piece(1, 'Another.')].flat()
    const end = translator.notification(
      'item/completed',
      item('reasoning', { id: 'r', summary: ['One step.', 'Another.'], content: ['raw thoughts'] }),
    )
    const live = pieces.map((effect) => (effect.type === 'live' ? effect.delta.text : '')).join('')
    expect(end).toEqual([{ type: 'output', output: { kind: 'thinking', text: live, blockId: 'r' } }])
    expect(live).toBe('One step.\n\nAnother.')
  })

  it('an item that we do not know is raw, not lost and not guessed', () => {
    const params = item('novelty', { id: 'n' })
    expect(started().notification('item/completed', params)).toEqual([
      {
        type: 'output',
        output: { kind: 'raw', backend: 'codex', payload: { method: 'item/completed', item: params.item } },
      },
    ])
  })

  it('a thread that no call ever named stays out of the conversation', () => {
    const translator = started()
    const stranger = { threadId: 'S', itemId: 'm', delta: 'psst' }
    expect(translator.notification('item/agentMessage/delta', stranger)).toEqual([])
    const end = translator.notification('turn/completed', { threadId, turn: { id: 'U', status: 'completed' } })
    expect(end.filter(isNews).map(({ type }) => type)).toEqual(['turn_completed'])
    expect(translator.notification('item/agentMessage/delta', stranger).filter(isNews)).toEqual([])
  })
})

it('a limit of the account is told when it is near and when it is reached, once for each window', () => {
  const translator = started()
  const told = (usedPercent: number, more: object = {}) =>
    translator
      .notification('account/rateLimits/updated', {
        rateLimits: { primary: { usedPercent, windowDurationMins: 300, resetsAt: 1_800_000_000 }, ...more },
      })
      .filter(isNews)
  const limit = { limit: '5 hours', resetsAt: 1_800_000_000_000 }
  const output = (data: object) => [{ type: 'output', output: { kind: 'system', subtype: 'rate_limit', data } }]
  expect(told(40)).toEqual([])
  expect(told(83.4)).toEqual(output({ status: 'warning', usedPercent: 83, ...limit }))
  expect(told(90)).toEqual([])
  expect(told(100)).toEqual(output({ status: 'reached', usedPercent: 100, ...limit }))
})
