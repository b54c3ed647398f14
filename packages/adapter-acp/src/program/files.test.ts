import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { profiles } from '../profiles'
import { minuteTrap } from '../profiles/gemini'
import { emptyTwins } from '../profiles/gemini-files'
import { leftOutOf, loadWaitMs, removeEmptyTwins } from './files'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'acp-files-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const id = '9b1d91e1-a240-41d5-8cb5-b9694c10b759'
const wait = (file: string, now: string) => minuteTrap.waitMs(file, id, new Date(now))

describe('a conversation of Gemini', () => {
  const where = { type: 'user', content: [{ text: '<session_context>\nThis is the Gemini CLI.' }] }
  const record = (...messages: object[]) =>
    `${JSON.stringify({ sessionId: id, kind: 'main' })}\n${JSON.stringify({ $set: { messages } })}\n`
  const said = record(where, { type: 'user', content: [{ text: 'Hello.' }] })
  const chats = (files: Record<string, string>) => {
    const folder = join(root, '.gemini', 'tmp', 'code', 'chats')
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return () => readdirSync(folder).sort()
  }
  const [first, second, other] = ['21-09-9b1d91e1', '21-14-9b1d91e1', '21-10-aaaaaaaa'].map(
    (ending) => `session-2026-11-21T${ending}.jsonl`,
  ) as [string, string, string]

  it('[RES-2.6] loses the empty file that a resume left, and keeps what was said', async () => {
    const left = chats({ [first]: said, [second]: record(where), [other]: record(where) })
    await removeEmptyTwins(emptyTwins, root)
    expect(left()).toEqual([first, other])
  })

  it('[RES-2.6] loses no file that could not be read, nor one of two that both say nothing yet', async () => {
    const left = chats({ [first]: record(where), [second]: record(where), [other]: said, 'x.jsonl': '' })
    await removeEmptyTwins(emptyTwins, root)
    expect(left()).toHaveLength(4)
    chats({ [first]: said, [second]: '{"sessionId":' })
    await removeEmptyTwins(emptyTwins, root)
    expect(left()).toHaveLength(4)
  })

  it('waits for no pipe among its files, counts no link and no pipe as a file, and follows no link to another folder', async () => {
    const [kept, third] = [
      'session-2026-11-21T21-20-bbbbbbbb.jsonl',
      'session-2026-11-21T21-21-bbbbbbbb.jsonl',
    ] as const
    const left = chats({ [first]: said, [second]: record(where), [kept]: record(where) })
    const chat = (name: string) => join(root, '.gemini', 'tmp', 'code', 'chats', name)
    spawnSync('mkfifo', [chat('session-2026-11-21T21-22-9b1d91e1.jsonl')])
    symlinkSync(chat(first), chat(third))
    const elsewhere = join(root, 'elsewhere')
    mkdirSync(join(elsewhere, 'chats'), { recursive: true })
    for (const [name, text] of [
      [first, said],
      [second, record(where)],
    ] as const)
      writeFileSync(join(elsewhere, 'chats', name), text)
    symlinkSync(elsewhere, join(root, '.gemini', 'tmp', 'linked'))
    mkdirSync(join(root, '.gemini', 'tmp', 'other'))
    symlinkSync(join(elsewhere, 'chats'), join(root, '.gemini', 'tmp', 'other', 'chats'))
    await removeEmptyTwins(emptyTwins, root)
    expect(left()).toEqual([first, kept, third, 'session-2026-11-21T21-22-9b1d91e1.jsonl'].sort())
    expect(readdirSync(join(elsewhere, 'chats')).sort()).toEqual([first, second])
  })

  it('loses its empty file also where the owner keeps the program’s folder somewhere else, and beside one of many megabytes', async () => {
    const real = mkdtempSync(join(tmpdir(), 'acp-dotfiles-'))
    try {
      symlinkSync(real, join(root, '.gemini'))
      const left = chats({ [first]: said + ' '.repeat(8_000_000), [second]: record(where) })
      await removeEmptyTwins(emptyTwins, root)
      expect(left()).toEqual([first])
    } finally {
      rmSync(real, { recursive: true, force: true })
    }
  })

  it('is not loaded within the minute in which it began', () => {
    const file = 'session-2026-11-21T21-09-9b1d91e1.json'
    expect(wait(file, '2026-11-21T21:09:40.500Z')).toBe(19_500)
    expect(wait(file, '2026-11-21T21:10:00.000Z')).toBe(0)
    expect(wait(file, '2026-11-22T21:09:40.000Z')).toBe(0)
  })

  it('does not wait for another one, nor because of a file of another name', () => {
    expect(wait('session-2026-11-21T21-09-aaaaaaaa.json', '2026-11-21T21:09:40Z')).toBe(0)
    expect(wait('logs.json', '2026-11-21T21:09:40Z')).toBe(0)
  })

  it('waits by the files of any project', async () => {
    const chats = join(root, '.gemini', 'tmp', 'a-project', 'chats')
    mkdirSync(chats, { recursive: true })
    const trap = { ...minuteTrap, waitMs: (file: string, of: string) => (file === 'one' && of === id ? 7 : 0) }
    expect(await loadWaitMs(trap, root, id)).toBe(0)
    writeFileSync(join(chats, 'one'), '')
    expect(await loadWaitMs(trap, root, id)).toBe(7)
    expect(await loadWaitMs(trap, root, 'another')).toBe(0)
    expect(await loadWaitMs(undefined, root, id)).toBe(0)
  })
})

it('what a repository configures is named', async () => {
  mkdirSync(join(root, '.opencode'))
  writeFileSync(join(root, 'opencode.json'), '{}')
  expect((await leftOutOf(root, profiles.opencode)).map(({ path }) => path)).toEqual(['opencode.json', '.opencode'])
  expect(await leftOutOf(root, profiles.gemini)).toEqual([])
})
