import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { composeNotes, rankNotes } from './notes'
import { notesFolder } from './notes-folder'

let base: string
let folder: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-notes-')))
  folder = path.join(base, 'notes')
  mkdirSync(path.join(folder, 'tester'), { recursive: true, mode: 0o755 })
  mkdirSync(path.join(base, 'secret'), { mode: 0o755 })
  writeFileSync(path.join(base, 'secret/key.md'), 'SECRET', { mode: 0o644 })
})
afterEach(() => {
  chmodSync(path.join(folder, 'tester'), 0o755)
  rmSync(base, { recursive: true })
})

const put = (name: string, text: string) => writeFileSync(path.join(folder, 'tester', name), text, { mode: 0o644 })
const recall = (roleId = 'tester', place: object = {}, query = 'flaky test') =>
  notesFolder(() => ({ folder, roots: [path.join(base, 'code')], ...place })).recall(roleId, query)
const problem = (...asked: Parameters<typeof recall>) => {
  const { text, told } = recall(...asked)
  expect([text, told.notes, told.leftOut]).toEqual(['', [], []])
  return told.problem
}

describe('[POL-6] the notes of a role', () => {
  it('[POL-6.1] [POL-6.3] go in best first, and are told with their names and sizes', () => {
    put('cooking.md', 'Salt the water.\n')
    put('flaky.md', 'A flaky test waits on time.\n')
    put('no-note.txt', 'nothing')
    expect(recall()).toEqual({
      text: '# Notes for the role tester\n\n## flaky\n\nA flaky test waits on time.\n\n## cooking\n\nSalt the water.',
      told: {
        roleId: 'tester',
        notes: [
          { name: 'flaky.md', bytes: 28 },
          { name: 'cooking.md', bytes: 16 },
        ],
        leftOut: [],
      },
    })
  })

  it('[POL-6.4] are limited: one of 10 MB is cut, the others are left out, and both are told', () => {
    put('flaky.md', `flaky test ${'ä'.repeat(20_000)}`)
    truncateSync(path.join(folder, 'tester/flaky.md'), 10_000_000)
    put('cooking.md', 'Salt the water.')
    const { text, told } = recall()
    expect(text.length).toBeLessThan(16_100)
    expect(told.notes).toEqual([{ name: 'flaky.md', bytes: 10_000_000, cut: true }])
    expect(told.leftOut).toEqual([{ name: 'cooking.md', why: 'the notes before it fill the limit' }])
  })

  it('[POL-6.4] one that is cut where it is read ends with a whole character', () => {
    put('long.md', `a${'ä'.repeat(40_000)}`)
    const { text, told } = recall('tester', {}, '')
    expect(text).not.toContain('\uFFFD')
    expect(told.notes).toEqual([{ name: 'long.md', bytes: 80_001, cut: true }])
    const cut = composeNotes('r', [{ name: 'a.md', text: '😀😀', bytes: 8 }], '\n\n## a\n\n'.length + 3)
    expect(cut.text.endsWith('😀')).toBe(true)
  })

  it('[POL-6.4] of many, a few names are told', () => {
    for (let n = 0; n < 230; n += 1) put(`n${n}.md`, 'x'.repeat(1_000))
    const { told } = recall()
    expect(told.notes.length + told.leftOut.length).toBeLessThan(40)
    expect(told.leftOut.at(-1)?.name).toMatch(/^\d+ more notes$/)
  })

  it('[POL-6.5] a link leads to no note outside the folder, whether of a note or of a role', () => {
    symlinkSync(path.join(base, 'secret/key.md'), path.join(folder, 'tester/key.md'))
    symlinkSync(path.join(base, 'secret'), path.join(folder, 'spy'))
    symlinkSync('.', path.join(folder, 'all'))
    put('flaky.md', 'A flaky test.')
    symlinkSync('flaky.md', path.join(folder, 'tester/same.md'))
    const { text, told } = recall()
    expect(text).not.toContain('SECRET')
    expect(told.leftOut).toEqual([{ name: 'key.md', why: 'it leads out of the folder of notes' }])
    expect(told.notes.map(({ name }) => name)).toEqual(['flaky.md', 'same.md'])
    expect(problem('spy')).toBe('The notes for spy lie outside the folder of notes.')
    expect(problem('all')).toBe('The notes for all lie outside the folder of notes.')
  })

  it('[POL-6.5] a pipe or a folder is no note, and is not waited for', () => {
    expect(spawnSync('mkfifo', [path.join(folder, 'tester/pipe.md')]).status).toBe(0)
    mkdirSync(path.join(folder, 'tester/sub.md'))
    expect(recall().told.leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual([
      'pipe.md: it is no ordinary file',
      'sub.md: it is no ordinary file',
    ])
  })

  it('[POL-6.6] what others may change is not read: a note, the folder of a role, the folder of all', () => {
    put('open.md', 'Do as I say.')
    chmodSync(path.join(folder, 'tester/open.md'), 0o666)
    expect(recall().told.leftOut).toEqual([{ name: 'open.md', why: 'others than its owner may change it' }])
    for (const place of [path.join(folder, 'tester'), folder]) {
      chmodSync(place, 0o777)
      expect(problem()).toBe('Others than its owner may change the folder of notes for tester.')
      chmodSync(place, 0o755)
    }
  })

  it('[POL-6.6] nothing is read from where a session could write it', () => {
    put('flaky.md', 'A flaky test.')
    const overlaps = 'The folder of notes overlaps a folder of sessions, whose programs could write notes.'
    expect(problem('tester', { roots: [base] })).toBe(overlaps)
    expect(problem('tester', { roots: [path.join(folder, 'tester')] })).toBe(overlaps)
  })

  it.each(['../secret', 'tester/../../secret', '/secret', '.', '..', 'a b', '', 'x'.repeat(65), 'tester\0'])(
    '[POL-6.7] the role %j is none',
    (roleId) => {
      expect(problem(roleId)).toBe('This is no name of a role.')
    },
  )

  it('[POL-6.3] what is not there, or cannot be read, is told and is no error', () => {
    expect(problem('tester', { folder: undefined })).toBe('The policy of this machine names no folder of notes.')
    expect(problem('tester', { folder: path.join(base, 'gone') })).toBe('The folder of notes is not there.')
    expect(problem('nobody')).toBe('The folder of notes for nobody is not there.')
    writeFileSync(path.join(folder, 'file'), '', { mode: 0o644 })
    expect(problem('file')).toBe('The folder of notes cannot be read.')
    expect(recall().told).toEqual({ roleId: 'tester', notes: [], leftOut: [] })
  })

  it.skipIf(process.getuid?.() === 0)('[POL-6.3] a folder that its owner closed is told', () => {
    chmodSync(path.join(folder, 'tester'), 0o000)
    expect(problem()).toBe('The folder of notes cannot be read.')
  })
})

describe('notes that are ranked', () => {
  const note = (name: string, text: string) => ({ name, text, bytes: text.length })
  const notes = [
    note('bread.md', 'Flour, water, salt.'),
    note('tests.md', 'A flaky test waits on time.'),
    note('water.md', 'Water the plants.'),
  ]

  it('come by the words they share with the input, rarer words first', () => {
    const ranked = rankNotes(notes, 'Why is this test flaky, and is there water?')
    expect(ranked.map(({ name }) => name)).toEqual(['tests.md', 'bread.md', 'water.md'])
  })

  it('stay within the limit', () => {
    const { text, used, leftOut } = composeNotes('r', notes, 60)
    expect(text.length).toBeLessThanOrEqual('# Notes for the role r'.length + 60)
    expect(used).toEqual([
      { name: 'bread.md', bytes: 19 },
      { name: 'tests.md', bytes: 27, cut: true },
    ])
    expect(leftOut).toMatchObject([{ name: 'water.md' }])
    expect(composeNotes('r', [], 40).text).toBe('')
  })
})
