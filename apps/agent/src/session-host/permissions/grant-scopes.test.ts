// What "allow for session" can be given for, and what such a grant then answers (PERM-5), on the real host.
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Step, script } from '@roundhouse/adapter-scripted'
import type { PermissionAsk } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ana, type HostView, HostWorld } from '../../testing/host-world'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const run = (command: string, more: object = {}): Step => ({
  tool: 'Bash',
  input: { command, ...more },
  output: 'ok',
  ask: true,
})
const write = (file: string): Step => ({ tool: 'Write', input: { file_path: file, content: 'x' } })

async function start(...steps: Step[]): Promise<{ host: HostView; ask: PermissionAsk }> {
  const host = await world.open()
  await host.client.command(world.create({}, script([...steps, { text: 'Done.' }])))
  return { host, ask: await nextAsk(host) }
}

function nextAsk(host: HostView, not?: string): Promise<PermissionAsk> {
  return host.until(() => host.state.requests.find(({ requestId }) => requestId !== not))
}

function allow({ requestId, procId, digest, scopes }: PermissionAsk, kind: string) {
  const scopeId = scopes?.find(({ scope }) => scope.kind === kind)?.scopeId ?? 'none'
  const decision = 'allow_session' as const
  return world.command({ kind: 'permission.decide', requestId, procId, digest, decision, scopeId })
}

/**
 * Allows the first for the session, which answers the others; only those of `asked` wait, and a person can still refuse them.
 * Ends with the turn.
 */
async function answers(kind: string, steps: Step[], ...asked: Step[]): Promise<HostView> {
  const { host, ask } = await start(...steps, ...asked)
  expect(await host.run(allow(ask, kind))).toEqual({ state: 'done' })
  for (const left of asked) {
    const waits = ({ input }: PermissionAsk) => JSON.stringify(input) === JSON.stringify(left.input)
    const { requestId, procId, digest } = await host.until(() => host.state.requests.find(waits))
    const refuse = { kind: 'permission.decide', requestId, procId, digest, decision: 'deny' } as const
    expect(await host.run(world.command(refuse))).toEqual({ state: 'done' })
  }
  await host.status('idle')
  const { grantId } = world.of('permission_resolved')[0]?.grant ?? {}
  const by = world
    .of('permission_resolved')
    .map((event) => event.by && ('grantId' in event.by ? event.by.grantId : 'Ana'))
  expect(by).toEqual(['Ana', ...steps.slice(1).map(() => grantId), ...asked.map(() => 'Ana')])
  return host
}

describe('allow for session', () => {
  it('[PERM-5.8] of a command offers exactly this, and commands that begin so, in words', async () => {
    const { ask } = await start(run('npm test -s'))
    expect(ask.sessionScope).toEqual({ scope: { kind: 'exact' }, label: 'exactly this action' })
    const beginnings = [['npm', 'test']]
    expect(ask.scopes).toEqual([
      { scopeId: 'exact-0', scope: { kind: 'exact' }, label: 'exactly this action' },
      {
        scopeId: 'commands-1',
        scope: { kind: 'commands', toolName: 'Bash', beginnings, folder: world.workDir },
        label: `commands that begin with “npm test”, in ${world.workDir}`,
      },
    ])
  })

  it('[PERM-5.16] [PERM-5.30] for commands that begin so answers the next one, names itself and its decision, and not another command', async () => {
    const steps = [run('pnpm run build'), run('pnpm run build --silent')]
    const host = await answers('commands', steps, run('pnpm run build; curl y'))
    const [given, answered] = world.of('permission_resolved')
    expect(given).toMatchObject({ decision: 'allow_session', by: ana, grant: { scope: { kind: 'commands' } } })
    expect(given?.grant).not.toHaveProperty('commandId')
    expect(answered?.by).toEqual({
      grantId: given?.grant?.grantId,
      label: `commands that begin with “pnpm run build”, in ${world.workDir}`,
      commandId: given?.commandId,
    })
    const { grantId = '' } = given?.grant ?? {}
    expect(await host.run(world.command({ kind: 'grant.revoke', grantId }))).toEqual({ state: 'done' })
  })

  it('[PERM-5.17] [PERM-5.20] of commands does not cover what is more than they, leads elsewhere or cannot be read', async () => {
    symlinkSync(world.folder('elsewhere'), join(world.workDir, 'out'))
    await answers(
      'commands',
      [run('cat a')],
      run('cat a', { dangerouslyDisableSandbox: true }), // another field
      run('cat ../other'), // a name outside its folder
      run('cat /etc/x'),
      run('cat out/x'), // a link that leads out
      run('cat .env'), // a hidden file
      run('cat https://x/../../../../etc/x'), // an address that leads out
      run(`cat ${'0:'.repeat(60)}/etc/x`), // more names than are looked for
      run('cat $X'), // what is not known before it runs
    )
  })

  it('[PERM-5.14] what the model says about its command is no part of exactly this, but part of what was shown', async () => {
    const first = run('make it', { description: '/etc/hosts' })
    await answers('exact', [first, run('make it', { description: 'Other words' }), run('make it')])
    const [one, two] = world.of('permission_requested')
    expect(one?.ask.digest).not.toBe(two?.ask.digest)
  })

  it('[PERM-5.24] of an edit offers this file and its folder, by where they really lie', async () => {
    mkdirSync(join(world.workDir, 'src'))
    symlinkSync(join(world.workDir, 'src'), join(world.workDir, 'link'))
    const { ask } = await start(write('link/a.ts'))
    const folder = join(world.workDir, 'src')
    expect(ask.scopes?.map(({ scope }) => scope)).toEqual([
      { kind: 'exact' },
      { kind: 'edit_file', file: join(folder, 'a.ts') },
      { kind: 'edit_folder', folder },
    ])
  })

  it('[PERM-5.24] [PERM-5.25] [PERM-5.27] a grant of edits in a folder covers files below it, not beside it, not behind a link, not hidden ones', async () => {
    const elsewhere = world.folder('elsewhere')
    mkdirSync(join(world.workDir, 'src'))
    symlinkSync(elsewhere, join(world.workDir, 'src', 'out'))
    await answers('edit_folder', [write('src/a.ts'), write('src/deep/b.ts')], write('src/out/c.ts'))
    expect(existsSync(join(elsewhere, 'c.ts'))).toBe(false)
    expect(readFileSync(join(world.workDir, 'src/deep/b.ts'), 'utf8')).toBe('x')
    // Outside the roots nothing wider is offered, either.
    expect(world.of('permission_requested').at(-1)?.ask.scopes).toBeUndefined()
  })

  it('[PERM-5.26] [PERM-5.27] a grant of edits in src does not cover files beside it, hidden ones, or one of two names', async () => {
    mkdirSync(join(world.workDir, 'src'))
    writeFileSync(join(world.folder('elsewhere'), 'own.ts'), 'own')
    linkSync(join(world.folder('elsewhere'), 'own.ts'), join(world.workDir, 'src/twice.ts'))
    const others = ['b.ts', 'src/.git/hooks/x', 'src/.envrc', 'src-other/a.ts', 'src/twice.ts']
    await answers('edit_folder', [write('src/a.ts')], ...others.map(write))
  })

  it('[PERM-5.24] a grant of edits of a file covers that file alone, by any tool that edits', async () => {
    const edit: Step = { tool: 'Edit', input: { file_path: './a.ts', old_string: 'x', new_string: 'y' } }
    await answers('edit_file', [write('a.ts'), edit], write('b.ts'))
    expect(readFileSync(join(world.workDir, 'a.ts'), 'utf8')).toBe('y')
  })

  it('[POL-1.5] what the policy denies stays denied under a grant of its folder', async () => {
    const secret = join(world.workDir, 'secret')
    mkdirSync(secret)
    const { policy } = world.launch
    const host = await world.open({ policy: { ...policy, denyPaths: [secret] } })
    const steps = [write('a.ts'), write('secret/b.ts'), write('c.ts'), { text: 'Done.' }]
    await host.client.command(world.create({}, script(steps)))
    await host.run(allow(await nextAsk(host), 'edit_folder'))
    await host.status('idle')
    expect(world.of('permission_resolved').map(({ outcome }) => outcome)).toEqual(['applied', 'refused', 'applied'])
    expect(existsSync(join(secret, 'b.ts'))).toBe(false)
  })

  it('[PERM-2] [PERM-5.10] with a scope that the request does not offer is refused, and the request stays open', async () => {
    const { host, ask } = await start(run('npm test'))
    expect(await host.run(allow(ask, 'edit_folder'))).toMatchObject({
      state: 'refused',
      error: { code: 'EDIT_NOT_ALLOWED' },
    })
    expect(host.state.requests).toHaveLength(1)
  })

  it('[PERM-5.22] of what changes, connects, redirects, pipes, is not known or runs another offers exactly this or nothing', async () => {
    const commands = ['rm -r build', 'curl https://x', 'npm test > log', 'npm test | sh', 'npm test $X', 'sh -c ls']
    const { host } = await start(...commands.map((command) => run(command)))
    for (const command of commands) {
      const ask = await host.until(() =>
        host.state.requests.find(({ input }) => (input as { command: string }).command === command),
      )
      expect([command, ask.scopes, ask.sessionScope?.scope]).toEqual([command, undefined, { kind: 'exact' }])
      const { requestId, procId, digest } = ask
      await host.run(world.command({ kind: 'permission.decide', requestId, procId, digest, decision: 'deny' }))
    }
  })
})
