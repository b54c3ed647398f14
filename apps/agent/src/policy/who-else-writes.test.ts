import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkPolicy } from './check-policy'
import { PolicyStore } from './policy-store'
import { realRoots } from './real-roots'

let base: string
let home: string
let file: string
const at = (...parts: string[]) => path.join(base, ...parts)
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-others-')))
  home = at('place/agent')
  file = path.join(home, 'config/policy.json')
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  mkdirSync(at('elsewhere/deep'), { recursive: true, mode: 0o700 })
  writeFileSync(file, '{"roots":[]}', { mode: 0o600 })
})
afterEach(() => rmSync(base, { recursive: true }))

/** What stood there lies in `elsewhere/deep` from now on, behind a link, or behind two. */
function moveBehindLink(place: string, links = 1): void {
  const real = at('elsewhere/deep', path.basename(place))
  renameSync(place, real)
  const between = at('between/link')
  if (links === 2) {
    mkdirSync(path.dirname(between), { mode: 0o700 })
    symlinkSync(real, between)
  }
  symlinkSync(path.relative(path.dirname(place), links === 2 ? between : real), place)
}

/** [what it is about, how the place is made, the folder or file that others may change] */
const cases: Array<[string, () => void, () => string]> = [
  ['the folder above that of the file', () => {}, () => home],
  ['what a link at its place leads to', () => moveBehindLink(file), () => at('elsewhere/deep/policy.json')],
  ['the folder to which such a link leads', () => moveBehindLink(file), () => at('elsewhere/deep')],
  ['the folder in which a second link lies', () => moveBehindLink(file, 2), () => at('between')],
  ['its folder behind a link', () => moveBehindLink(path.dirname(file)), () => at('elsewhere/deep/config')],
  [
    'the folder that holds its folder behind a link',
    () => moveBehindLink(path.dirname(file)),
    () => at('elsewhere/deep'),
  ],
  ['the agent’s home behind a link', () => moveBehindLink(home), () => at('elsewhere/deep/agent')],
  ['the folder in which the link to the home lies', () => moveBehindLink(home), () => at('place')],
]

describe('[POL-1] [A42] a policy file allows nothing while others may change', () => {
  it.each(cases)('%s, and says how to mend it', (_what, arrange, open) => {
    arrange()
    const store = new PolicyStore(file, home, realRoots)
    expect(store.current().roots).toEqual([])
    for (const others of [0o020, 0o002]) {
      chmodSync(open(), 0o700 | others)
      expect(() => store.current()).toThrow(`Others may change ${open()}. Mend it: chmod go-w ${open()}`)
      expect(checkPolicy(file, home).map(({ code }) => code)).toEqual(['WRITABLE_BY_OTHERS'])
      chmodSync(open(), 0o700)
      expect(store.current().roots).toEqual([])
    }
  })
})

it('[POL-1] where everybody replaces only what is their own, as in /tmp, the file is good', () => {
  moveBehindLink(home)
  for (const folder of ['place', 'elsewhere/deep', 'elsewhere/deep/agent', 'elsewhere/deep/agent/config'])
    chmodSync(at(folder), 0o1777)
  expect(new PolicyStore(file, home, realRoots).current().roots).toEqual([])
  expect(checkPolicy(file, home)).toEqual([])
})
