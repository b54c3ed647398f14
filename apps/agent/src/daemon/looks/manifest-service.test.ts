import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type BackendManifestEntry, CodedError } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Policy } from '../../policy/policy'
import { ManifestService } from './manifest-service'
import { type ManifestSource, ManifestSources } from './manifest-sources'

let folder: string
let program: string
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-manifest-'))
  program = path.join(folder, 'claude')
  writeFileSync(program, '1')
})
afterEach(() => rmSync(folder, { recursive: true }))

const sourcesOf = (sources: readonly ManifestSource[]) =>
  new ManifestSources(sources, () => {
    throw new Error('the policy names no program here')
  })

let hangs = false
const stats = async (files: string[]) => {
  if (hangs) throw new Error('it does not answer')
  return Object.fromEntries(
    files.map((file) => {
      const { ino, size, mtimeMs } = statSync(file)
      return [file, { inode: ino, bytes: size, changedAt: mtimeMs }]
    }),
  )
}
function machine(version: () => string, policy: () => Policy) {
  const entry = (): BackendManifestEntry => ({
    kind: 'claude',
    label: 'Claude Code',
    installed: true,
    version: version(),
    binaryPath: program,
    models: [],
    modes: [],
    sandboxes: [],
    capabilities: {} as BackendManifestEntry['capabilities'],
  })
  return new ManifestService(
    sourcesOf([{ kind: 'claude', label: 'Claude Code', testedVersions: ['2.1.330'], read: async () => entry() }]),
    policy,
    stats,
    () => 0,
  )
}
const allowing = (versions?: string) =>
  Policy.parse({ backends: { claude: versions === undefined ? {} : { versions } } })

describe('[POL-1.4] a backend with a range of versions', () => {
  it('is greyed with the reason where its version is outside, at once when the policy changes', async () => {
    let policy = allowing('>=2.1 <2.2')
    const manifest = machine(
      () => '2.1.197 (Claude Code)',
      () => policy,
    )
    await manifest.refresh()
    expect(manifest.current().backends[0]).toMatchObject({ installed: true })
    expect(manifest.wrongVersions()).toEqual({})
    policy = allowing('>=2.2')
    const reason = "Claude Code is 2.1.197 (Claude Code); this machine's policy allows >=2.2."
    expect(manifest.current().backends[0]).toMatchObject({ installed: false, unavailableReason: reason })
    expect(manifest.wrongVersions()).toEqual({ claude: reason })
  })

  it('is looked at again when its program is another file, and only then', async () => {
    let version = '2.1.0'
    const manifest = machine(
      () => version,
      () => allowing('<2.2'),
    )
    await manifest.refresh()
    expect(await manifest.isStale()).toBe(false)
    writeFileSync(program, 'another')
    version = '2.2.0'
    expect(await manifest.isStale()).toBe(true)
    await manifest.refresh()
    expect(await manifest.isStale()).toBe(false)
    expect(Object.keys(manifest.wrongVersions())).toEqual(['claude'])
  })

  it('[FLOW-7.23] is not looked at again while the folder of its program does not answer', async () => {
    const manifest = machine(
      () => '2.1.0',
      () => allowing('<2.2'),
    )
    await manifest.refresh()
    hangs = true
    expect(await manifest.isStale()).toBe(false)
    hangs = false
    writeFileSync(program, 'another')
    expect(await manifest.isStale()).toBe(true)
  })

  it('is not watched where every version is allowed', async () => {
    const manifest = machine(
      () => '1',
      () => allowing(),
    )
    await manifest.refresh()
    writeFileSync(program, 'another')
    expect(await manifest.isStale()).toBe(false)
  })
})

it('a backend is asked again when a session left other models of it', async () => {
  const modelsFile = path.join(folder, 'kilo.json')
  const read = async (): Promise<BackendManifestEntry> => ({
    kind: 'kilo',
    label: 'Kilo',
    installed: true,
    models: existsSync(modelsFile) ? [{ code: 'small', label: 'Small' }] : [],
    modes: [],
    sandboxes: [],
    capabilities: {} as BackendManifestEntry['capabilities'],
  })
  const sources = sourcesOf([{ kind: 'kilo', label: 'Kilo', read, modelsFile }])
  const statsOf = async (files: string[]) => stats(files.filter((file) => existsSync(file)))
  const manifest = new ManifestService(
    sources,
    () => Policy.parse({}),
    statsOf,
    () => 0,
  )
  await manifest.refresh()
  expect([await manifest.isStale(), manifest.current().backends[0]?.models]).toEqual([false, []])
  writeFileSync(modelsFile, '{}')
  expect((await manifest.refreshIfDue())?.backends[0]?.models).toEqual([{ code: 'small', label: 'Small' }])
  expect(await manifest.isStale()).toBe(false)
})

describe('a backend whose version was never tested with this release', () => {
  it.each([
    ['2.1.330 (Claude Code)', undefined],
    ['2.1.999 (Claude Code)', ['2.1.330']],
  ])('[POL-1] %s runs, and the machine says which were tested: %j', async (version, testedWith) => {
    const manifest = machine(
      () => version,
      () => allowing(),
    )
    await manifest.refresh()
    const [backend] = manifest.current().backends
    expect(backend).toMatchObject({ installed: true, version })
    expect(backend?.testedWith).toEqual(testedWith)
  })
})

describe('[FLOW-7.21] a backend that does not answer', () => {
  it('[FLOW-7.22] [FLOW-7.23] is no missing one: it is asked again by itself, alone, ever less often, until it answers', async () => {
    let clock = 0
    let answers = false
    const asked: string[] = []
    const source = (kind: string, isThere: () => boolean) => ({
      kind,
      label: kind,
      read: async (): Promise<BackendManifestEntry> => {
        asked.push(kind)
        if (!isThere()) throw new CodedError('FOLDER_UNAVAILABLE', `${program} does not answer.`, { path: program })
        return { ...missing, kind, label: kind, installed: true, binaryPath: program }
      },
    })
    const missing = { models: [], modes: [], sandboxes: [], capabilities: {} as BackendManifestEntry['capabilities'] }
    const sources = [source('claude', () => answers), source('codex', () => true)]
    const manifest = new ManifestService(
      sourcesOf(sources),
      () => Policy.parse({}),
      stats,
      () => 0,
      undefined,
      () => clock,
    )
    await manifest.refresh()
    const silent = { installed: false, unanswered: true, unavailableReason: `${program} does not answer.` }
    expect(manifest.current().backends).toMatchObject([silent, { installed: true }])
    asked.length = 0
    const due: number[] = []
    for (; clock < 3_600_000; clock += 1_000) if (await manifest.refreshIfDue()) due.push(clock / 1_000)
    expect(due.slice(0, 4)).toEqual([10, 30, 70, 150])
    expect(due.slice(-2).reduce((before, last) => last - before)).toBe(600)
    expect(new Set(asked)).toEqual(new Set(['claude']))
    answers = true
    clock += 600_000
    expect((await manifest.refreshIfDue())?.backends).toMatchObject([
      { kind: 'claude', installed: true },
      { kind: 'codex' },
    ])
    clock += 600_000
    expect(await manifest.refreshIfDue()).toBeNull()
  })
})

describe('[POL-1.10] a program that the policy names', () => {
  const kilo = { argv: ['/opt/kilo'], label: 'Kilo' }
  const entry = (kind: string, label: string): BackendManifestEntry => ({
    kind,
    label,
    installed: true,
    models: [],
    modes: [],
    sandboxes: [],
    capabilities: {} as BackendManifestEntry['capabilities'],
  })

  function named(read: (label: string) => Promise<BackendManifestEntry>) {
    const made: object[] = []
    const claude = { kind: 'claude', label: 'Claude Code', read: async () => entry('claude', 'Claude Code') }
    const sources = new ManifestSources([claude], (kind, program) => {
      made.push(program)
      return { kind, label: program.label, read: () => read(program.label) }
    })
    const told = { policy: Policy.parse({}) }
    return {
      made,
      told,
      manifest: new ManifestService(
        sources,
        () => told.policy,
        stats,
        () => 0,
      ),
    }
  }
  const labels = ({ backends }: { backends: BackendManifestEntry[] }) => backends.map(({ label }) => label)

  it('is a backend behind those of the release when it was asked, and none as soon as the policy does not name it', async () => {
    const { manifest, told } = named(async (label) => entry('kilo', label))
    await manifest.refresh()
    told.policy = Policy.parse({ backends: {}, programs: { kilo } })
    const [claude, program] = (await manifest.refresh()).backends
    expect([claude?.installed, program]).toEqual([false, expect.objectContaining({ kind: 'kilo', installed: true })])
    told.policy = Policy.parse({ programs: {} })
    expect(labels(manifest.current())).toEqual(['Claude Code'])
    expect(labels(await manifest.refresh())).toEqual(['Claude Code'])
  })

  it('is asked by the same source until the policy says something else of it', async () => {
    const { manifest, made, told } = named(async (label) => entry('kilo', label))
    told.policy = Policy.parse({ programs: { kilo } })
    await manifest.refresh()
    await manifest.refresh()
    expect(made).toHaveLength(1)
    told.policy = Policy.parse({ programs: { kilo: { ...kilo, label: 'Kilo Code' } } })
    expect(labels(await manifest.refresh())).toEqual(['Claude Code', 'Kilo Code'])
    expect(made).toHaveLength(2)
  })

  it('is asked also where the policy names it while the others are being asked', async () => {
    const { manifest, told } = named(async (label) => entry('kilo', label))
    const first = manifest.refresh()
    await Promise.resolve() // the look has begun
    told.policy = Policy.parse({ programs: { kilo } })
    expect(labels(await manifest.refresh())).toEqual(['Claude Code', 'Kilo'])
    expect(labels(await first)).toEqual(['Claude Code', 'Kilo'])
  })

  it('that fails is there, with the reason', async () => {
    const { manifest, told } = named(() => Promise.reject(new Error('It speaks another protocol.')))
    told.policy = Policy.parse({ programs: { kilo } })
    expect((await manifest.refresh()).backends[1]).toMatchObject({
      kind: 'kilo',
      label: 'Kilo',
      installed: false,
      unavailableReason: 'It speaks another protocol.',
    })
  })
})
