import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { HostWorld } from '../../testing/host-world'

const binaryPath = path.resolve(
  import.meta.dirname,
  '../../../../../packages/adapter-acp/src/testing/scripted-program.mjs',
)

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

/** As Gemini CLI names them: after the minute in which the conversation began. This minute and the next one, whichever it is then. */
function beganNow(conversation: string): void {
  const chats = world.folder('.gemini/tmp/code/chats')
  for (const at of [Date.now(), Date.now() + 60_000]) {
    const minute = new Date(at).toISOString().slice(0, 16).replace(':', '-')
    writeFileSync(path.join(chats, `session-${minute}-${conversation.slice(0, 8)}.jsonl`), '')
  }
}

it('[RES-2.7] a session whose start waits for the clock says so', async () => {
  const host = await world.open({ backends: { gemini: { binaryPath } } })
  await host.run(world.create({ backend: 'gemini' }, 'Begin.'))
  const [started] = world.of('session_started')
  beganNow(started?.backendSessionId ?? '')
  await host.run(world.command({ kind: 'process.end' }))
  await host.client.command(world.prompt('Go on.'))
  const status = await host.until(() => {
    const told = host.state.status
    return told.status === 'starting' && told.waitsFor !== undefined && told
  })
  expect(status.waitsFor).toMatch(/^Gemini CLI loses a conversation .* It starts when this minute is over\.$/)
  process.kill(world.record().pid, 'SIGKILL')
  await world.guardIsDone()
})
