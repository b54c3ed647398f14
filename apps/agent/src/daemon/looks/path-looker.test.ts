/** Programs that stand in for the looker: what a folder can do to it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bundle } from '../../testing/bundle'
import { lookNow } from './look-now'
import { PathLooker } from './path-looker'

let folder: string
let looker: PathLooker | undefined
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roundhouse-looker-')))
})
afterEach(() => {
  looker?.close()
  rmSync(folder, { recursive: true })
})

/** Of each line, `reply(line)` is printed; nothing where it gives null. */
function standIn(reply: string): string {
  const file = path.join(folder, 'stand-in.mjs')
  const text = `import { createInterface } from 'node:readline'
const reply = ${reply}
process.stdout.write('{"ready":true}\\n')
for await (const line of createInterface({ input: process.stdin })) {
  const said = reply(line)
  if (said !== null) process.stdout.write(said + '\\n')
}`
  writeFileSync(file, text)
  return file
}
const own = () => bundle('daemon/looks/look-main.ts')
const entries = async (lookerEntry: string) => ({
  lookerEntry,
  lookThreadEntry: await bundle('daemon/looks/look-thread.ts'),
})
const see = (...paths: string[]) => looker?.see({ look: 'paths', paths })
/** Of a path with this word it never hears. */
const hangsOn = (word: string) => standIn(`(line) => line.includes('${word}') ? null : '{"seen":{}}'`)

describe('[FLOW-7] folders of people', () => {
  it('[FLOW-7.3] are looked at by a process of its own, the same one as long as it answers', async () => {
    looker = new PathLooker({ entry: await own() })
    mkdirSync(path.join(folder, 'code'))
    const code = path.join(folder, 'code')
    expect(await see(code, '/nowhere')).toEqual({
      [code]: { kind: 'folder', real: code },
      '/nowhere': { kind: 'absent' },
    })
    const roots = [folder]
    expect(await looker.see({ look: 'folders', roots })).toMatchObject({ folders: [{ name: 'code', path: code }] })
    await expect(looker.see({ look: 'folders', roots, path: '/etc' })).rejects.toMatchObject({
      code: 'PATH_NOT_ALLOWED',
    })
    expect(lookNow(await entries(await own()), { look: 'roots', roots: [code, '/nowhere'] })).toEqual([
      code,
      '/nowhere',
    ])
  })

  it('[FLOW-7.1] that do not answer are given up, and cost the others nothing', async () => {
    looker = new PathLooker({ entry: hangsOn('hung'), limitMs: 500 })
    const hung = see('/hung')?.catch((error) => error)
    expect(await see('/code')).toEqual({})
    expect(await hung).toMatchObject({ code: 'FOLDER_UNAVAILABLE', message: '/hung does not answer.' })
    expect(await see('/code')).toEqual({})
  })

  it('[FLOW-7.6] wait for one another where many hang, and no longer than a look may take', async () => {
    looker = new PathLooker({ entry: hangsOn('hung'), limitMs: 500, most: 2 })
    const looks = await Promise.allSettled([see('/hung/1'), see('/hung/2'), see('/code')])
    expect(looks.slice(0, 2).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await see('/code')).toEqual({})
  })

  it('[FLOW-7.8] [FLOW-7.7] cost one looker where many ask for the same, and are named', async () => {
    looker = new PathLooker({ entry: hangsOn('hung'), limitMs: 500, most: 2 })
    const hung = Array.from({ length: 5 }, () => see('/hung')?.catch(({ message }) => message))
    expect(await see('/code')).toEqual({})
    expect(await Promise.all(hung)).toEqual(Array(5).fill('/hung does not answer.'))
    const said = `(line) => line.includes('hung') ? '{"at":"/hung"}' : '{"at":"/code"}\\n{"seen":{}}'`
    looker.close()
    looker = new PathLooker({ entry: standIn(said), limitMs: 500 })
    expect(await see('/code')).toEqual({})
    await expect(see('/code', '/hung')).rejects.toMatchObject({ details: { path: '/hung' } })
  })

  it('whose looker dies are refused, and the next look has another one', async () => {
    looker = new PathLooker({ entry: standIn(`(line) => line.includes('deadly') ? process.exit(1) : '{"seen":{}}'`) })
    await expect(see('/deadly')).rejects.toMatchObject({ code: 'FOLDER_UNAVAILABLE' })
    expect(await see('/code')).toEqual({})
  })

  it('whose looker is not there are looked at later', async () => {
    looker = new PathLooker({ entry: path.join(folder, 'missing.mjs') })
    await expect(see('/code')).rejects.toMatchObject({ code: 'OUT_OF_RESOURCES' }) // the agent is being updated
    const away = await entries(path.join(folder, 'missing.mjs'))
    const look = { look: 'roots' as const, roots: ['/code'] }
    expect(() => lookNow(away, look)).toThrow(/could not be looked at/)
    expect(() => lookNow({ ...away, lookThreadEntry: away.lookerEntry }, look)).toThrow(/being updated/)
  })

  it('whose looker goes when nobody asks, or at that very moment, are looked at by another one', async () => {
    looker = new PathLooker({ entry: hangsOn('hung'), idleMs: 1 })
    for (let round = 0; round < 3; round += 1) expect(await see('/code')).toEqual({})
    looker.close()
    const once = `(line) => globalThis.asked ? process.exit(1) : (globalThis.asked = '{"seen":{}}')`
    looker = new PathLooker({ entry: standIn(once) })
    for (let round = 0; round < 3; round += 1) expect(await see('/code')).toEqual({})
  })

  it('are given to no looker that was just told to go', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      looker = new PathLooker({ entry: hangsOn('hung'), idleMs: 60_000, limitMs: 120_000 })
      expect(await see('/code')).toEqual({})
      vi.advanceTimersByTime(60_000)
      expect(await see('/code')).toEqual({})
    } finally {
      vi.useRealTimers()
    }
  })
})
