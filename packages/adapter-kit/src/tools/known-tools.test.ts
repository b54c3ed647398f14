import { describe, expect, it } from 'vitest'
import { knownTools } from './known-tools'
import { asksQuestions, editsFile, hasPlan, patchesFiles, planObject, runsCommand } from './usual-tools'

const { describeTool, inputShapes } = knownTools({
  Bash: runsCommand({ command: 'command' }),
  Edit: editsFile({ path: 'file', before: 'old', after: 'new' }),
  Patch: patchesFiles('changes'),
  Ask: asksQuestions({ questions: 'questions', answers: 'answers' }),
  Plan: hasPlan('plan'),
})

describe('the tools of a program', () => {
  it('are described by the table, and their inputs have the shapes of it', () => {
    expect(describeTool('Bash', { command: "/bin/bash -lc 'npm test'" })).toEqual({
      verb: 'Run',
      wish: 'run a command',
      command: 'npm test',
    })
    expect(inputShapes.Edit).toEqual({ kind: 'edit', path: 'file', before: 'old', after: 'new' })
  })

  it('say of several files how many', () => {
    expect(describeTool('Patch', { changes: [{ path: '/a' }, { path: '/b' }] })).toEqual({
      verb: 'Edit',
      wish: 'edit 2 files',
      paths: ['/a', '/b'],
    })
  })

  it('that are not in the table go by their name and the first text', () => {
    expect(describeTool('Other', { n: 1, title: 'It crashes\nhere' })).toEqual({ verb: 'Other', object: 'It crashes' })
    expect(describeTool('mcp__tickets__create', { title: 'x' })).toEqual({ verb: 'tickets: create', object: 'x' })
    expect(describeTool('mcp__tickets', {}).verb).toBe('mcp__tickets')
  })

  it.each(['constructor', '__proto__', 'hasOwnProperty', 'toString'])('do not hold one named %s', (name) => {
    expect(describeTool(name, { a: 'b' })).toEqual({ verb: name, object: 'b' })
  })

  it.each([undefined, null, 'text', 7, [1, 2], { command: 7 }, { changes: 'no list' }, { questions: [null] }])(
    'bear the odd input %j',
    (input) => {
      for (const name of ['Bash', 'Edit', 'Patch', 'Ask', 'Plan', 'Other'])
        expect(() => describeTool(name, input)).not.toThrow()
    },
  )

  it.each([
    ['# Plan', ''],
    ['Plan: add tests\nand more', 'add tests'],
    ['## The plan\n\n- Write it', 'Write it'],
    ['# Planets\n', 'Planets'],
    ['', ''],
  ])('tell of the plan %j what it is about, and not that it is one', (plan, object) => {
    expect(planObject(plan)).toBe(object)
  })
})
