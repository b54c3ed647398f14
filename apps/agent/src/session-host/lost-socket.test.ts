/** A host whose socket, or whose files, somebody removes: whoever looks for it finds it. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectHost } from '../host-contract/client'
import { doorIn } from '../host-contract/host-door'
import { untilReady } from '../host-contract/until-ready'
import { HostView, HostWorld } from '../testing/host-world'
import { variation } from '../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const writes = script([{ tool: 'Write', input: { file_path: 'note.txt', content: 'x' } }, { text: 'Done.' }])

/** As the next daemon does. */
const found = (patienceMs?: number) => world.found(patienceMs)

async function reach(): Promise<HostView> {
  const view = new HostView()
  const attempt = () => {
    const door = doorIn(world.sessionDir, world.socketKey)
    if (!door) throw Object.assign(new Error('no door'), { code: 'ENOENT' })
    return connectHost(door, view.handlers())
  }
  view.client = await untilReady(attempt, { limitMs: 20_000 })
  view.states.push(view.client.hello.state)
  return view
}

/** A question that waits, and no daemon. */
async function asks(spareSockets: string[] = []) {
  const host = await world.open({ spareSockets })
  await host.client.command(world.create({}, writes))
  await host.status('needs_you')
  host.client.close()
}

async function decideAndStop(): Promise<void> {
  const next = await reach()
  const [ask] = next.state.requests
  if (!ask) throw new Error('nothing is asked any more')
  const { requestId, procId, digest } = ask
  const decide = world.command({ kind: 'permission.decide', requestId, procId, decision: 'allow', digest })
  expect(await next.run(decide)).toEqual({ state: 'done' })
  await next.status('idle')
  expect(readFileSync(join(world.workDir, 'note.txt'), 'utf8')).toBe('x')
  await next.client.command(world.command({ kind: 'session.stop' }))
  expect(await next.gone()).toBe('shutdown')
}

describe('[RES-1] [PERM-3] a host that asks somebody', () => {
  variation('is found where its socket was removed, and takes the answer', async () => {
    await asks()
    rmSync(world.launch.socketPath)
    expect(await found(20_000)).toEqual({ class: 'attached' })
    await decideAndStop()
  })

  variation('is found where the folder of its socket was removed', async () => {
    await asks()
    rmSync(dirname(world.launch.socketPath), { recursive: true })
    expect(await found(20_000)).toEqual({ class: 'attached' })
    await decideAndStop()
  })

  it('is found elsewhere, where that folder cannot be made again', async () => {
    const spare = join(world.folder('spare'), 'h.sock')
    await asks([spare])
    rmSync(dirname(world.launch.socketPath), { recursive: true })
    writeFileSync(dirname(world.launch.socketPath), 'no folder')
    expect(await found(20_000)).toEqual({ class: 'attached' })
    expect(world.record().sock).toBe(spare)
    await decideAndStop()
  })

  it('is found where both files that tell of it were emptied, and the socket removed', async () => {
    await asks()
    for (const file of [world.files.launch, world.files.host]) truncateSync(file)
    rmSync(world.launch.socketPath)
    expect(await found(20_000)).toEqual({ class: 'attached' })
    await decideAndStop()
  })
})

describe('[RES-4] [RES-6] a host that is frozen', () => {
  it('is not taken for dead where neither file that tells of it can be read', async () => {
    const launched = world.start()
    const host = await world.attach(launched)
    process.kill(launched.pid, 'SIGSTOP')
    for (const file of [world.files.launch, world.files.host]) truncateSync(file)
    expect(await found(0)).toEqual({ class: 'stuck' })
    process.kill(launched.pid, 'SIGCONT')
    host.client.close()
  })
})
