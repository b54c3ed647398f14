/** What a real program asks about a file is held against the file that lies there. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { PermissionAsk } from '@roundhouse/backend-types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { missingReason } from '../support/processes/backends'
import { type Rig, startRig } from '../support/rigs/rig'
import { variationsUnless } from '../support/rigs/variation'
import { Resumed } from './resumed'

const missing = await missingReason('claude')

variationsUnless(missing !== null)(`[claude] changes of files${missing === null ? '' : ` (${missing})`}`, () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig({ kind: 'claude' })
  })
  afterAll(() => rig.dispose())

  const place = (name: string) => path.join(rig.system.workDir, name)
  const reads = (name: string) => ({ tool: 'Read', input: { file_path: place(name) } })
  const writes = (name: string, content: string) => ({ tool: 'Write', input: { file_path: place(name), content } })
  const edits = (name: string, old_string: string, new_string: string, more: object = {}) => ({
    tool: 'Edit',
    input: { file_path: place(name), old_string, new_string, ...more },
  })

  /** The next question, answered with yes. */
  async function allowed(session: Resumed, meanwhile: () => void = () => {}): Promise<PermissionAsk> {
    const ask = await until('a question', async () => {
      return (await session.session()).requests.find((one) => one.outcome === 'open')?.ask
    })
    meanwhile()
    await rig.rest.decide(ask.requestId, { digest: ask.digest, decision: 'allow' })
    await until('the end of the question', async () => {
      return !(await session.session()).requests.some(
        (one) => one.ask.requestId === ask.requestId && one.outcome === 'open',
      )
    })
    return ask
  }

  it('[PERM-7.8] [PERM-7.9] a Write says whether the file is new, an Edit has its true lines, and replace_all counts its places', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => `line ${n + 1}\n`).join('')
    writeFileSync(place('old.txt'), lines)
    const session = await Resumed.begin(rig, [
      writes('new.txt', 'one\n'),
      reads('old.txt'),
      edits('old.txt', 'line 25', 'line twenty-five'),
      edits('old.txt', 'line', 'row', { replace_all: true }),
      writes('old.txt', 'all gone\n'),
      { text: 'Done.' },
    ])
    const asks = [await allowed(session), await allowed(session), await allowed(session), await allowed(session)]
    expect(asks.map(({ toolName, changes }) => [toolName, changes])).toMatchObject([
      ['Write', [{ was: 'missing' }]],
      [
        'Edit',
        [
          {
            was: 'file',
            lines: 40,
            places: 1,
            diff: '@@ -22,7 +22,7 @@\n line 22\n line 23\n line 24\n-line 25\n+line twenty-five\n line 26\n line 27\n line 28',
          },
        ],
      ],
      ['Edit', [{ places: 40, added: 40, removed: 40 }]],
      ['Write', [{ was: 'file', lines: 40, added: 1, removed: 40 }]],
    ])
    await session.turns(1)
    expect(readFileSync(place('old.txt'), 'utf8')).toBe('all gone\n')
    expect(session.of('tool_result').filter(({ isError }) => isError)).toEqual([])
  })

  it('[PERM-8.3] what changed since it was shown is asked anew', async () => {
    writeFileSync(place('moves.txt'), 'one\ntwo\n')
    const session = await Resumed.begin(rig, [reads('moves.txt'), edits('moves.txt', 'two', '2'), { text: 'Done.' }])
    const first = await allowed(session, () => writeFileSync(place('moves.txt'), 'zero\none\ntwo\n'))
    const second = await allowed(session)
    expect(first.changes?.[0]?.diff).toContain('@@ -1,2 +1,2 @@')
    expect(second.changes?.[0]?.diff).toContain('@@ -1,3 +1,3 @@')
    await session.turns(1)
    expect(session.of('permission_resolved').map(({ outcome }) => outcome)).toEqual(['superseded', 'applied'])
  })
})
