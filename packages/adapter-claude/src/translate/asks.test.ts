import type { PermissionDecision } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { Asks } from './asks'

const input = { command: 'rm -r build', description: 'Clean up' }

function asked(request: Record<string, unknown> = {}) {
  const asks = new Asks('/code')
  const told = asks.asked({
    type: 'control_request',
    request_id: 'R1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: 'call-1', input, ...request },
  })
  return {
    asks,
    told,
    decide: (decision: Omit<PermissionDecision, 'callId'>) => asks.replyTo({ callId: told.callId, ...decision }),
  }
}

const success = (response: unknown) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: 'R1', response },
})

describe('an ask', () => {
  it('[PERM-7] carries the complete input, the call it belongs to and why', () => {
    const { told } = asked({
      decision_reason: 'Removes files',
      blocked_path: '/code/build',
      description: 'Clean up',
      agent_id: 'a1',
    })
    expect(told).toEqual({
      callId: 'call-1',
      toolName: 'Bash',
      input,
      meta: {
        backend: 'claude',
        reason: 'Removes files',
        cwd: '/code',
        canEdit: true,
        canExplainDeny: true,
        blockedPath: '/code/build',
        agentId: 'a1',
      },
    })
  })

  it('says why in the best words there are', () => {
    expect(asked({ blocked_path: '/etc/x', description: 'd' }).told.meta?.reason).toBe('Touches /etc/x')
    expect(asked({ description: 'Clean up' }).told.meta?.reason).toBe('Clean up')
    expect(asked().told.meta).not.toHaveProperty('reason')
  })

  it('that needs a person says so, and one without a call is known by its own id', () => {
    expect(asked({ requires_user_interaction: true }).told.meta?.requiresUserInteraction).toBe(true)
    expect(asked({ tool_use_id: undefined }).told.callId).toBe('R1')
  })
})

describe('what the CLI suggests', () => {
  const suggested = (...rules: object[]) =>
    asked({ permission_suggestions: [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }] })
      .told.meta?.suggestedCommands

  it('[PERM-5] are commands that begin with certain words, and nothing else', () => {
    expect(suggested({ toolName: 'Bash', ruleContent: 'npm run *' })).toEqual([['npm', 'run']])
    expect(suggested({ toolName: 'Bash', ruleContent: 'npm run lint:*' })).toEqual([['npm', 'run', 'lint']])
    expect(suggested({ toolName: 'Bash', ruleContent: 'touch a.txt' })).toBeUndefined()
    expect(suggested({ toolName: 'Bash', ruleContent: '*' })).toBeUndefined()
    expect(suggested({ toolName: 'Bash' })).toBeUndefined()
    expect(suggested({ toolName: 'Read', ruleContent: '//etc *' })).toBeUndefined()
    const half = [
      { toolName: 'Bash', ruleContent: 'ls *' },
      { toolName: 'Bash', ruleContent: 'rm a' },
    ]
    expect(suggested(...half)).toBeUndefined()
    const mode = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }]
    expect(asked({ permission_suggestions: mode }).told.meta).not.toHaveProperty('suggestedCommands')
  })
})

describe('a decision', () => {
  it('[PERM-2] allow runs the input as it was asked, an edit runs instead', () => {
    expect(asked().decide({ decision: 'allow' })).toEqual(success({ behavior: 'allow', updatedInput: input }))
    const edited = { command: 'ls build' }
    expect(asked().decide({ decision: 'allow', updatedInput: edited })).toEqual(
      success({ behavior: 'allow', updatedInput: edited }),
    )
  })

  it('[PERM-2] a question names the answers that it takes, and nothing else does', () => {
    const questions = [{ question: 'Which colour?', options: [{ label: 'Red' }] }, { question: 'Which size?' }]
    const { told } = asked({ tool_name: 'AskUserQuestion', input: { questions } })
    expect(told.meta?.answerFields).toEqual({ field: 'answers', names: ['Which colour?', 'Which size?'] })
    expect(asked().told.meta).not.toHaveProperty('answerFields')
  })

  it('[PERM-2] a plan is approved together with the mode in which it is carried out', () => {
    const plan = asked({ tool_name: 'ExitPlanMode' })
    expect([plan.told.meta?.canSetMode, asked().told.meta?.canSetMode]).toEqual([true, undefined])
    expect(plan.decide({ decision: 'allow', mode: 'acceptEdits' })).toEqual(
      success({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      }),
    )
  })

  it('[PERM-5] allow_session is told as a plain allow', () => {
    expect(asked().decide({ decision: 'allow_session' })).toEqual(asked().decide({ decision: 'allow' }))
  })

  it('deny gives the reason to the model, abort ends the turn as well', () => {
    expect(asked().decide({ decision: 'deny', reason: 'No.' })).toEqual(success({ behavior: 'deny', message: 'No.' }))
    expect(asked().decide({ decision: 'abort', reason: 'Stop.' })).toEqual(
      success({ behavior: 'deny', message: 'Stop.', interrupt: true }),
    )
    expect(asked().decide({ decision: 'deny' })).toEqual(
      success({ behavior: 'deny', message: 'The person denied this.' }),
    )
  })

  it('[PERM-4] an unanswered request gets an error reply, whatever decision stands beside it', () => {
    for (const decision of ['deny', 'allow', 'abort'] as const) {
      expect(asked().decide({ decision, unanswered: true })).toEqual({
        type: 'control_response',
        response: { subtype: 'error', request_id: 'R1', error: 'Nobody answered the request.' },
      })
    }
  })

  it('is given once: afterwards, and once taken back, the request is gone', () => {
    const gone = expect.objectContaining({ code: 'REQUEST_GONE' })
    const decided = asked()
    decided.decide({ decision: 'deny' })
    expect(() => decided.decide({ decision: 'allow' })).toThrowError(gone)

    const withdrawn = asked()
    expect(withdrawn.asks.withdrawn({ type: 'control_cancel_request', request_id: 'R1' })).toBe('call-1')
    expect(withdrawn.asks.withdrawn({ type: 'control_cancel_request', request_id: 'R1' })).toBeUndefined()
    expect(() => withdrawn.decide({ decision: 'allow' })).toThrowError(gone)
  })

  it('[PERM-6] several open asks are decided in any order', () => {
    const { asks } = asked()
    asks.asked({
      request_id: 'R2',
      request: { subtype: 'can_use_tool', tool_name: 'Edit', tool_use_id: 'call-2', input: { a: 1 } },
    })
    expect(asks.replyTo({ callId: 'call-2', decision: 'allow' }).response).toMatchObject({ request_id: 'R2' })
    expect(asks.replyTo({ callId: 'call-1', decision: 'allow' }).response).toMatchObject({ request_id: 'R1' })
  })
})
