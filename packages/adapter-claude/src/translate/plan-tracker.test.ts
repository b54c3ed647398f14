import { describe, expect, it } from 'vitest'
import { PlanTracker } from './plan-tracker'

describe('PlanTracker', () => {
  it('takes the whole list of TodoWrite as it stands', () => {
    const todos = [
      { content: 'Read', status: 'completed', activeForm: 'Reading' },
      { content: 'Write', status: 'in_progress' },
      { content: 'Check', status: 'new word' },
    ]
    const plan = new PlanTracker()
    plan.used('c', 'TodoWrite', { todos })
    expect(plan.finished('c', false, {})).toEqual([
      { text: 'Read', status: 'completed' },
      { text: 'Write', status: 'in_progress' },
      { text: 'Check', status: 'pending' },
    ])
  })

  it('builds the list of single tasks from the results of their calls', () => {
    const plan = new PlanTracker()
    const create = (callId: string, subject: string, id: string) => {
      plan.used(callId, 'TaskCreate', { subject })
      return plan.finished(callId, false, { task: { id, subject } })
    }
    const update = (callId: string, input: object) => {
      plan.used(callId, 'TaskUpdate', input)
      return plan.finished(callId, false, { success: true })
    }
    expect(create('1', 'A', '1')).toEqual([{ text: 'A', status: 'pending' }])
    create('2', 'B', '2')
    expect(update('3', { taskId: '2', status: 'in_progress', subject: 'B2' })).toEqual([
      { text: 'A', status: 'pending' },
      { text: 'B2', status: 'in_progress' },
    ])
    expect(update('4', { taskId: '1', status: 'deleted' })).toEqual([{ text: 'B2', status: 'in_progress' }])
    expect(update('5', { taskId: '9', status: 'completed' })).toEqual([
      { text: 'B2', status: 'in_progress' },
      { text: '#9', status: 'completed' },
    ])
  })

  it('goes on with what the conversation had, until another one begins', () => {
    const plan = new PlanTracker([['1', { text: 'A', status: 'pending' }]])
    const change = () => {
      plan.used('c', 'TaskUpdate', { taskId: '1', status: 'completed' })
      return plan.finished('c', false, {})
    }
    expect(change()).toEqual([{ text: 'A', status: 'completed' }])
    plan.clear()
    expect(change()).toEqual([{ text: '#1', status: 'completed' }])
  })

  it('a call that failed, and any other tool, change nothing', () => {
    const plan = new PlanTracker()
    plan.used('1', 'TaskCreate', { subject: 'A' })
    expect(plan.finished('1', true, undefined)).toBeUndefined()
    plan.used('2', 'Bash', { command: 'ls' })
    expect(plan.finished('2', false, { stdout: '' })).toBeUndefined()
    plan.used('3', 'TodoWrite', 'no record')
    expect(plan.finished('3', false, {})).toBeUndefined()
    plan.used('4', 'TodoWrite', { todos: [{ content: 'Read', status: 'pending' }] })
    expect(plan.finished('4', true, undefined)).toBeUndefined()
  })
})
