import { describe, expect, it } from 'vitest'
import { Asks } from './asks'

const question = {
  question: 'Which colours?',
  header: 'Colour',
  multiSelect: true,
  options: [{ label: 'Red, dark', description: 'Like fire' }, { label: 'Blue' }],
}
const layout = {
  question: 'Which layout?',
  options: [{ label: 'Wide', preview: '+----+\n|    |\n+----+' }, { label: 'Narrow' }],
}

function asked(request: Record<string, unknown>, called?: unknown) {
  const asks = new Asks('/code')
  const frame = { request_id: 'R1', request: { subtype: 'can_use_tool', tool_use_id: 'call-1', ...request } }
  return { asks, told: asks.asked(frame, called) }
}

function elicited(more: Record<string, unknown>) {
  const asks = new Asks('/code')
  const request = { subtype: 'elicitation', mcp_server_name: 'billing', message: 'Who pays?', ...more }
  return { asks, told: asks.elicited({ request_id: 'R2', request }) }
}

const responseOf = (frame: Record<string, unknown>) => (frame.response as { response: unknown }).response

describe('a question of the model', () => {
  it('[PERM-2] is a form with its header, its options and room for an answer of one’s own', () => {
    const input = { questions: [question, { question: 'Which size?' }] }
    expect(asked({ tool_name: 'AskUserQuestion', input }).told.meta?.form).toEqual({
      fields: [
        {
          kind: 'choice',
          name: 'Which colours?',
          label: 'Which colours?',
          header: 'Colour',
          required: true,
          options: [
            { value: 'Red, dark', label: 'Red, dark', about: 'Like fire' },
            { value: 'Blue', label: 'Blue' },
          ],
          many: true,
          ownAnswer: true,
        },
        { kind: 'text', name: 'Which size?', label: 'Which size?', required: true },
      ],
    })
  })

  it('[PERM-2] takes several choices as one text, as the terminal writes them', () => {
    const input = { questions: [question] }
    const { asks } = asked({ tool_name: 'AskUserQuestion', input })
    const answers = { 'Which colours?': ['Red, dark', 'Blue', 'like "rust"'] }
    const frame = asks.replyTo({ callId: 'call-1', decision: 'allow', updatedInput: { ...input, answers } })
    expect(responseOf(frame)).toMatchObject({
      updatedInput: { answers: { 'Which colours?': '"Red, dark", Blue, "like \\"rust\\""' } },
    })
  })

  it('[PERM-2] shows what an option would look like, and the model reads that again where it is chosen', () => {
    const input = { questions: [question, layout] }
    const { asks, told } = asked({ tool_name: 'AskUserQuestion', input })
    const { preview } = layout.options[0] as { preview: string }
    expect(told.meta?.form?.fields[1]).toMatchObject({
      options: [
        { value: 'Wide', label: 'Wide', preview: { text: preview } },
        { value: 'Narrow', label: 'Narrow' },
      ],
    })
    const answers = { 'Which colours?': ['Blue'], 'Which layout?': 'Wide' }
    const frame = asks.replyTo({ callId: 'call-1', decision: 'allow', updatedInput: { ...input, answers } })
    expect(responseOf(frame)).toMatchObject({
      updatedInput: {
        answers: { 'Which colours?': 'Blue', 'Which layout?': 'Wide' },
        annotations: { 'Which layout?': { preview } },
      },
    })
  })

  it.each([
    ['an option without one', layout, 'Narrow'],
    ['own words', layout, 'Round'],
    ['a choice of several', { ...layout, multiSelect: true }, ['Wide']],
  ])('[PERM-2] sends no preview for %s', (_what, asking, answer) => {
    const input = { questions: [asking] }
    const { asks } = asked({ tool_name: 'AskUserQuestion', input })
    const updatedInput = { ...input, answers: { 'Which layout?': answer } }
    const frame = asks.replyTo({ callId: 'call-1', decision: 'allow', updatedInput })
    expect((responseOf(frame) as Record<string, unknown>).updatedInput).not.toHaveProperty('annotations')
  })

  it('in a shape that nobody can draw can only be refused', () => {
    const twice = { questions: [question, question] }
    const { form, answerFields } = asked({ tool_name: 'AskUserQuestion', input: twice }).told.meta ?? {}
    expect(form).toMatchObject({ fields: [], problem: { code: 'FORM_UNREADABLE' } })
    expect(answerFields?.names).toEqual([])
  })
})

describe('a form of an MCP server', () => {
  const requested_schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

  it('[PERM-2] is a request without a call, named after its server', () => {
    expect(elicited({ mode: 'form', requested_schema }).told).toEqual({
      callId: 'R2',
      toolName: 'mcp__billing__elicitation',
      input: { message: 'Who pays?', mode: 'form', requestedSchema: requested_schema },
      meta: {
        backend: 'claude',
        cwd: '/code',
        canEdit: false,
        canExplainDeny: false,
        serverName: 'billing',
        form: {
          from: 'billing',
          message: 'Who pays?',
          fields: [{ kind: 'text', name: 'name', label: 'name', required: true }],
        },
        answerFields: { field: 'content', names: ['name'] },
      },
    })
  })

  it('[PERM-2] is answered, declined or cancelled in the words of MCP', () => {
    const answer = (decision: 'allow' | 'deny' | 'abort', updatedInput?: unknown) =>
      responseOf(elicited({ requested_schema }).asks.replyTo({ callId: 'R2', decision, updatedInput }))
    expect(answer('allow', { message: 'x', content: { name: 'Ana' } })).toEqual({
      action: 'accept',
      content: { name: 'Ana' },
    })
    expect(answer('deny')).toEqual({ action: 'decline' })
    expect(answer('abort')).toEqual({ action: 'cancel' })
  })

  it('with a page to open shows the page and asks for nothing', () => {
    const { told } = elicited({ mode: 'url', url: 'https://billing.example/sign' })
    expect(told.meta?.form).toEqual({
      from: 'billing',
      message: 'Who pays?',
      url: 'https://billing.example/sign',
      fields: [],
    })
  })

  it('[PERM-4] that nobody answers is an error, and one taken back is gone', () => {
    const { asks } = elicited({ requested_schema })
    expect(asks.replyTo({ callId: 'R2', decision: 'deny', unanswered: true })).toMatchObject({
      response: { subtype: 'error' },
    })
    const withdrawn = elicited({ requested_schema })
    expect(withdrawn.asks.withdrawn({ request_id: 'R2' })).toBe('R2')
  })
})

describe('a plan', () => {
  const modes = { ask: 'default', acceptEdits: 'acceptEdits' }

  it('[PERM-2] is shown from the request, and from the call where the request leaves it out', () => {
    const plan = (input: unknown, called?: unknown) =>
      asked({ tool_name: 'ExitPlanMode', input }, called).told.meta?.plan
    expect(plan({ plan: '# Do it' }, { plan: 'older' })).toEqual({ text: '# Do it', modes })
    expect(plan({}, { plan: '# Do it' })).toEqual({ text: '# Do it', modes })
    expect(plan({})).toEqual({ text: '', modes })
  })
})
