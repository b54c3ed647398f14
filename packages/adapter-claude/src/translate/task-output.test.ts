import { describe, expect, it } from 'vitest'
import { outputFileIn, temporaryFolders, withOutputBelow } from './task-output'

const named = (file: string) =>
  `Command running in background with ID: b1. Output is being written to: ${file}. You will`
const fileIn = (text: string) => outputFileIn({ taskId: 'b1', sessionId: 'c-1', text })
const path = '-work/c-1/tasks/b1.output'

describe('the file of a command in the background', () => {
  it('is the one that the result of the call names', () => {
    expect(fileIn(named(`/tmp/claude-0/${path}`))).toEqual({ folder: '/tmp/claude-0', path })
    expect(fileIn(named(`/var/my folder/claude-501/${path}`))).toEqual({ folder: '/var/my folder/claude-501', path })
  })

  it.each([
    ['another task', '/tmp/claude-0/-work/c-1/tasks/b2.output'],
    ['another conversation', '/tmp/claude-0/-work/c-2/tasks/b1.output'],
    ['another folder', '/home/me/.ssh/b1.output'],
    ['a way out', '/tmp/../etc/claude-0/-work/c-1/tasks/b1.output'],
    ['a way out below', '/tmp/claude-0/../c-1/tasks/b1.output'],
    ['no whole path', 'tmp/claude-0/-work/c-1/tasks/b1.output'],
  ])('is none where %s is named', (_, file) => {
    expect(fileIn(named(file))).toBeUndefined()
  })

  it('is none where an id is no plain word', () => {
    expect(outputFileIn({ taskId: '.*', sessionId: 'c-1', text: named(`/tmp/claude-0/${path}`) })).toBeUndefined()
    expect(outputFileIn({ taskId: 'b1', sessionId: '', text: named(`/tmp/claude-0/${path}`) })).toBeUndefined()
  })

  it('counts only in the temporary folder of the program', () => {
    const task = { taskId: 'b1', kind: 'command' as const, label: 'x', canStop: true }
    const at = (tmp: string) => ({ ...task, outputFile: { folder: `${tmp}/claude-0`, path } })
    const folders = temporaryFolders({ TMPDIR: '/nowhere/mine/' })
    expect(withOutputBelow(folders, [at('/nowhere/mine'), at('/tmp'), at('/home/me')])).toEqual([
      at('/nowhere/mine'),
      at('/tmp'),
      task,
    ])
  })
})
