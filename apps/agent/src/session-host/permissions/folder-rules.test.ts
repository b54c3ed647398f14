// "Always allow in this folder" (PERM-13), on the real host.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, script } from '@roundhouse/adapter-scripted'
import type { PermissionAsk, SessionSettings } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostPolicy } from '../../host-contract/launch-spec'
import { ana, type HostView, HostWorld } from '../../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const run = (command: string): Step => ({ tool: 'Bash', input: { command }, output: 'ok', ask: true })
const rulesFolder = () => join(world.folder('home/config'), 'rules')
const accepting = (): HostPolicy => ({ ...world.launch.policy, acceptHubRules: true })
const open = (policy: HostPolicy = accepting()) => world.open({ policy, rulesFolder: rulesFolder() })

const nextAsk = (host: HostView, not: string[] = []): Promise<PermissionAsk> =>
  host.until(() => host.state.requests.find(({ requestId }) => !not.includes(requestId)))

async function start(steps: Step[], settings: Partial<SessionSettings> = {}, policy = accepting()) {
  const host = await open(policy)
  await host.client.command(world.create(settings, script([...steps, { text: 'Done.' }])))
  return { host, ask: await nextAsk(host) }
}

function always({ requestId, procId, digest, folderRule }: PermissionAsk, kind: string) {
  const scopeId = folderRule?.scopes.find(({ scope }) => scope.kind === kind)?.scopeId ?? 'none'
  const decision = 'allow_session' as const
  return world.command({ kind: 'permission.decide', requestId, procId, digest, decision, scopeId, always: true })
}

const deny = ({ requestId, procId, digest }: PermissionAsk) =>
  world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'deny' })

/** Who resolved each request: a person by name, a rule by its kind. */
const resolvers = () => world.of('permission_resolved').map(({ by }) => by && ('grantId' in by ? by.rule : by.name))

/** Plays one more call in a new turn, which a person refuses if it is asked about. */
async function again(host: HostView, step: Step): Promise<string | undefined> {
  const before = world.of('turn_completed').length
  await host.client.command(world.prompt(script([step, { text: 'Done.' }])))
  const asked: string[] = []
  for (;;) {
    const isOver = () => world.of('turn_completed').length > before
    const next = await host.until(() =>
      isOver() ? 'over' : host.state.requests.find((one) => !asked.includes(one.requestId)),
    )
    if (next === 'over') return resolvers().at(-1)
    asked.push(next.requestId)
    await host.run(deny(next))
  }
}

async function restart(host: HostView, policy = accepting()): Promise<HostView> {
  await host.client.stop('shutdown')
  await host.gone()
  return open(policy)
}

describe('always allow in this folder', () => {
  it('[PERM-13.2] [PERM-13.3] [PERM-13.4] names the folder, the time and the scopes; another scope is refused, and all where the policy takes its word back', async () => {
    const { host, ask } = await start([run('npm test')])
    const beginnings = [['npm', 'test']]
    expect(ask.folderRule).toEqual({
      folder: world.workDir,
      lifeMs: 30 * 86_400_000,
      scopes: [
        { scopeId: 'exact', scope: { kind: 'exact' }, label: `exactly “npm test”, in ${world.workDir}` },
        {
          scopeId: 'commands-1',
          scope: { kind: 'commands', toolName: 'Bash', beginnings, folder: world.workDir },
          label: `commands that begin with “npm test”, in ${world.workDir}`,
        },
      ],
    })
    const refused = { state: 'refused', error: { code: 'EDIT_NOT_ALLOWED' } }
    expect(await host.run(always(ask, 'edit_folder'))).toMatchObject(refused)
    expect(host.state.requests).toHaveLength(1)
    expect(existsSync(rulesFolder()) ? readdirSync(rulesFolder()) : []).toEqual([])
    await host.client.policy({ ...accepting(), acceptHubRules: false })
    expect(await host.run(always(ask, 'commands'))).toMatchObject({ error: { code: 'POLICY_DENIED' } })
  })

  it.each<[string, Step, Partial<HostPolicy>]>([
    ['where the policy takes no rules', run('npm test'), { acceptHubRules: false }],
    ['of what nobody can name', run('deploy $X'), { agentPlaces: ['/agent'] }],
  ])('[PERM-13.2] is not offered %s', async (_what, step, policy) => {
    const { ask } = await start([step], {}, { ...accepting(), ...policy })
    expect(ask.folderRule).toBeUndefined()
  })

  it('[PERM-13.1] [PERM-13.4] [PERM-13.7] [PERM-13.15] leaves a rule on the machine that answers later calls, also after a restart', async () => {
    const { host, ask } = await start([run('npm test')])
    expect(await host.run(always(ask, 'commands'))).toEqual({ state: 'done' })
    await host.status('idle')
    const [given] = world.of('permission_resolved')
    expect(given).toMatchObject({
      decision: 'allow_session',
      by: ana,
      folderRule: { folder: world.workDir, backend: 'scripted', author: ana, sessionId: world.sessionId },
    })
    expect(given).not.toHaveProperty('grant')
    expect(given).not.toHaveProperty('degraded')
    const { ruleId = '', label } = given?.folderRule ?? {}
    expect(readdirSync(rulesFolder())).toEqual([`${ruleId}.json`])
    const next = await restart(host)
    expect(await again(next, run('npm test -s'))).toBe('folder')
    expect(world.of('permission_resolved').at(-1)?.by).toMatchObject({ grantId: ruleId, label, rule: 'folder' })
    expect(await again(next, run('npm test; curl x'))).toBe('Ana')
  })

  it('[PERM-13.9] a rule that is revoked through the hub is gone from the disk, and answers nothing more', async () => {
    const { host, ask } = await start([run('deploy all')])
    await host.run(always(ask, 'exact'))
    await host.status('idle')
    expect(await again(host, run('deploy all'))).toBe('folder')
    const { ruleId = '' } = world.of('permission_resolved')[0]?.folderRule ?? {}
    const revoke = world.command({ kind: 'grant.revoke', grantId: ruleId })
    expect(await host.run(revoke)).toEqual({ state: 'done' })
    expect(readdirSync(rulesFolder())).toEqual([])
    expect(world.of('grant_ended')).toMatchObject([{ grantId: ruleId, why: 'revoked', author: ana }])
    expect(await again(host, run('deploy all'))).toBe('Ana')
    expect(await host.run(world.command({ kind: 'grant.revoke', grantId: ruleId }))).toMatchObject({
      error: { code: 'NOT_FOUND' },
    })
  })

  it('[PERM-13.11] a rule has no effect while the policy takes no rules, and never allows what it denies', async () => {
    const secret = join(world.workDir, 'secret')
    mkdirSync(secret)
    const write = (file: string): Step => ({ tool: 'Write', input: { file_path: file, content: 'x' } })
    const { host, ask } = await start([write('a.txt')])
    await host.run(always(ask, 'edit_folder'))
    await host.status('idle')
    const denying = await restart(host, { ...accepting(), denyPaths: [secret] })
    expect(await again(denying, write('b.txt'))).toBe('folder')
    expect(await again(denying, write('secret/c.txt'))).toBeUndefined()
    expect(world.of('permission_resolved').at(-1)).toMatchObject({ outcome: 'refused', rule: 'denyPaths' })
    const closed = await restart(denying, { ...accepting(), acceptHubRules: false })
    expect(await again(closed, write('d.txt'))).toBe('Ana')
    expect(['b.txt', 'secret/c.txt', 'd.txt'].map((file) => existsSync(join(world.workDir, file)))).toEqual([
      true,
      false,
      false,
    ])
  })

  it('[PERM-13.6] counts once where the rule cannot be written, and says so', async () => {
    const { host, ask } = await start([run('npm test')])
    // A file where the folder would be.
    writeFileSync(rulesFolder(), 'in the way')
    await host.run(always(ask, 'commands'))
    await host.status('idle')
    expect(world.of('permission_resolved')[0]).toMatchObject({ outcome: 'applied', degraded: true })
    expect(readFileSync(rulesFolder(), 'utf8')).toBe('in the way')
  })
})
