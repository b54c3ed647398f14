/** What becomes of the files that an action changes is shown with the question, and an answer is to what was shown. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { PermissionAsk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HostView, HostWorld } from '../../testing/host-world'
import { wholeMatrix } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const writes = (file: string, content: string) => ({ tool: 'Write', input: { file_path: file, content } })
const place = (name: string) => join(world.workDir, name)

async function asked(host: HostView, ...steps: object[]): Promise<PermissionAsk> {
  await host.client.command(world.create({}, script([...steps, { text: 'Done.' }] as never)))
  return nextAsk(host)
}

async function nextAsk(host: HostView, not?: string): Promise<PermissionAsk> {
  const found = await host.until(() => host.state.requests.find(({ requestId }) => requestId !== not))
  await host.status('needs_you')
  return found
}

function decide(ask: PermissionAsk, rest: object = {}) {
  const { requestId, procId, digest } = ask
  return world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'allow', ...rest })
}

describe('a question about a file', () => {
  it('[PERM-7.8] says whether the file is new, and what of an existing one goes', async () => {
    writeFileSync(place('old.txt'), 'keep\ngoes\n')
    const host = await world.open()
    const first = await asked(host, writes('old.txt', 'keep\ncomes\n'), writes('new.txt', 'x\n'))
    expect(first.changes).toEqual([
      {
        path: 'old.txt',
        was: 'file',
        lines: 2,
        diff: '@@ -1,2 +1,2 @@\n keep\n-goes\n+comes',
        added: 1,
        removed: 1,
      },
    ])
    expect(world.of('permission_requested')[0]?.ask.changes).toEqual(first.changes)
    await host.run(decide(first))
    const second = await nextAsk(host, first.requestId)
    expect(second.changes).toMatchObject([{ path: 'new.txt', was: 'missing' }])
    await host.run(decide(second))
    await host.status('idle')
    expect(readFileSync(place('old.txt'), 'utf8')).toBe('keep\ncomes\n')
  })

  const ways = [
    ['another one', 'a.txt'],
    ['there', 'b.txt'],
  ]
  it.each(wholeMatrix ? ways : ways.slice(1))(
    '[PERM-2] [PERM-8.3] is asked anew when the file is %s by the time of the answer',
    async (_what, file = '') => {
      writeFileSync(place('a.txt'), 'one\n')
      const host = await world.open()
      const first = await asked(host, writes(file, 'two\n'))
      writeFileSync(place(file), 'now\n')
      expect(await host.run(decide(first))).toMatchObject({ state: 'refused', error: { code: 'DIGEST_MISMATCH' } })
      const second = await nextAsk(host, first.requestId)
      expect(second.changes?.[0]?.diff).toMatch(/^-now$/m)
      expect(world.of('permission_resolved')[0]).toMatchObject({ outcome: 'superseded', refusedBy: 'digest' })
      await host.run(decide(second))
      await host.status('idle')
      expect(readFileSync(place(file), 'utf8')).toBe('two\n')
    },
  )

  it('[PERM-5] [PERM-8.4] a grant of exactly this holds whatever the file is by then', async () => {
    const host = await world.open()
    const first = await asked(host, writes('a.txt', 'two\n'), writes('a.txt', 'two\n'))
    await host.run(decide(first, { decision: 'allow_session' }))
    await host.status('idle')
    expect(world.of('permission_resolved')).toMatchObject([
      { outcome: 'applied' },
      { by: { label: expect.any(String) } },
    ])
  })

  it('[POL-1] [POL-4] shows nothing of a file that is denied', async () => {
    mkdirSync(place('secret'))
    writeFileSync(place('secret/a.txt'), 'zebra 4711\n')
    const host = await world.open({ policy: { ...world.launch.policy, denyPaths: [place('secret')] } })
    await host.run(world.create({}, script([writes('secret/a.txt', 'x\n'), { text: 'Done.' }])))
    const ask = world.of('permission_requested')[0]?.ask
    expect(ask?.toolName).toBe('Write')
    expect(ask).not.toHaveProperty('changes')
    expect(world.envelopes().some(({ body }) => body.includes('zebra'))).toBe(false)
  })
})
