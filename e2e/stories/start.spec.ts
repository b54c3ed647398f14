import { cpSync } from 'node:fs'
import { createServer } from 'node:net'
import { test as base, expect } from '@playwright/test'
import type { HubClient } from '@roundhouse/hub-client'
import { variationOf } from '../support/browser/variation'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { prompts } from '../support/processes/backends'
import { isAlive, StartCommand } from '../support/processes/start-command'

const test = base.extend<{ command: StartCommand }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from here
  command: async ({}, use) => {
    const command = new StartCommand()
    await use(command)
    await command.dispose()
  },
})

const variation = variationOf(test)

const turnEnded = async (client: HubClient, sessionId: string) =>
  (await client.rest.snapshot(sessionId)).events.some(({ kind }) => kind === 'turn_completed')

test.describe('npm start', () => {
  test('prints the address with the set-up code, and Ctrl-C ends everything it started', async ({ command }) => {
    const started = await command.start()
    expect(started.output).toContain(`Open      ${command.hub.setupUrl}`)
    expect(started.output).toContain(command.workspace)
    await command.makeOwner()
    const client = await command.client()
    const { hostPid } = await command.startSession(client, prompts.stream(5_000))
    client.close()
    const pids = [command.hub.pid, command.daemon.pid, hostPid]
    expect(pids.map(isAlive)).toEqual([true, true, true])

    await started.end('SIGINT')
    expect(started.output).toContain('Everything has stopped.')
    await until('all of them to be gone', () => !pids.some(isAlive), 10_000) // a host closes its log last
  })

  test('[RES-1] ended by SIGTERM it leaves its sessions, and the next start carries on with them', async ({
    command,
  }) => {
    const first = await command.start()
    await command.makeOwner()
    const before = await command.client()
    const { sessionId, hostPid } = await command.startSession(before, prompts.stream(300))
    expect(await turnEnded(before, sessionId)).toBe(false)
    before.close()
    await first.end('SIGTERM')
    expect(isAlive(hostPid)).toBe(true)

    const second = await command.start() // on another port: the agent has to follow its hub
    expect(second.output).not.toContain('setup#')
    const after = await command.client()
    await until('the turn that was running to end', () => turnEnded(after, sessionId), 90_000)
    expect(isAlive(hostPid)).toBe(true)
    after.close()
    await second.end('SIGINT')
    await until('the session host to be gone', () => !isAlive(hostPid), 10_000)
  })

  variation(
    'Ctrl-C of a second one, with another data folder and the same agent, ends nothing of the first',
    async ({ command }) => {
      await command.start()
      await command.makeOwner()
      const client = await command.client()
      const { sessionId, hostPid } = await command.startSession(client, prompts.stream(5_000))
      const copy = freshFolder('copy')
      cpSync(command.hubData, copy, { recursive: true })
      for (const ROUNDHOUSE_DATA_DIR of [freshFolder('another'), copy]) {
        const second = command.another({ ROUNDHOUSE_DATA_DIR })
        await until('the second to be up', () => second.output.includes('Ctrl-C to stop'), 90_000)
        expect(second.output).toContain('Agent     not started here')
        await second.end('SIGINT')
        expect(second.output).toContain('Everything has stopped.')
        expect(second.output).not.toContain('Ending the sessions')
        expect(isAlive(hostPid)).toBe(true)
      }
      expect((await client.rest.snapshot(sessionId, 1)).session.status).toEqual({ status: 'running' })
      client.close()
    },
  )

  variation('the hub goes on while its local agent keeps dying, and the agent comes back', async ({ command }) => {
    const started = await command.start()
    await command.makeOwner()
    const client = await command.client()
    const hubPid = command.hub.pid
    const killed: number[] = []
    for (let death = 0; death < 3; death++) {
      const agent = await until('the agent to run', () => (killed.includes(command.daemon.pid) ? null : command.daemon))
      killed.push(agent.pid)
      process.kill(agent.pid, 'SIGKILL')
    }
    await until('the agent to be connected again', async () => {
      if (!started.alive) throw new Error(`npm start ended:\n${started.output}`)
      const { items } = await client.rest.agents()
      return !killed.includes(command.daemon.pid) && items[0]?.online
    })
    expect(command.hub.pid).toBe(hubPid)
    expect(isAlive(hubPid)).toBe(true)
    client.close()
    const { pid } = command.daemon
    await started.end('SIGINT')
    expect(isAlive(pid)).toBe(false)
  })

  test('says in one sentence that the port is in use, and how to choose another', async ({ command }) => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const refused = command.run({ PORT: String(port) })
    await until('npm start to end', () => !refused.alive)
    server.close()
    expect(refused.succeeded).toBe(false)
    expect(refused.output.trim()).toBe(
      `Port ${port} is in use by another program; choose another one: PORT=${port + 1} npm start`,
    )
  })
})
