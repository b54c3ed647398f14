import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackendOutput } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTail, saidByPerson, Tail, tailFile } from './tail'
import { openTruth, readLines } from './truth'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'player-truth-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const says = (text: string): BackendOutput => ({ kind: 'assistant_text', text })
const wrote = () =>
  readLines(readFileSync(join(folder, 'truth'), 'utf8')).map(({ n, turn, output }) => ({ n, turn, output }))
const truthOf = (turn: number) => openTruth(join(folder, 'truth'), 'c', readTail(folder, 'c', turn))
const tail = (kept = 200) => new Tail(tailFile(folder, 'c'), kept)

describe('[F4] a player killed between its conversation and its truth', () => {
  it('leaves a truth that the next player completes, once', () => {
    tail().append(3, [says('a'), saidByPerson('and?'), says('b'), says('c')])
    truthOf(0).write(3, [says('a'), says('b')])
    truthOf(3)
    truthOf(3).write(4, [says('d')])
    expect(wrote()).toEqual([
      { n: 1, turn: 3, output: says('a') },
      { n: 2, turn: 3, output: says('b') },
      { n: 3, turn: 3, output: says('c') },
      { n: 4, turn: 4, output: says('d') },
    ])
  })

  it('and of a conversation that keeps only the latest blocks', () => {
    const outputs = Array.from({ length: 25 }, (_, index) => says(`${index}`))
    const kept = tail(10)
    for (const output of outputs) kept.append(1, [output])
    truthOf(0).write(1, outputs.slice(0, 24))
    truthOf(1)
    expect(wrote().map(({ output }) => output)).toEqual(outputs)
  })
})

it('a line that a kill has torn counts for nobody', () => {
  truthOf(0).write(1, [says('a')])
  writeFileSync(join(folder, 'truth'), `${readFileSync(join(folder, 'truth'), 'utf8')}{"n":2,"backendSe`)
  truthOf(0).write(1, [says('b')])
  expect(wrote().map(({ n, output }) => [n, output])).toEqual([
    [1, says('a')],
    [2, says('b')],
  ])
  tail().append(1, [says('a')])
  writeFileSync(tailFile(folder, 'c'), `${readFileSync(tailFile(folder, 'c'), 'utf8')}{"turn":1,`)
  expect(readTail(folder, 'c', 1)).toEqual([{ turn: 1, n: 1, output: says('a') }])
})
