/** RES-3 where the hosts of an attempt die before they begin it: the session ends in a person's hands, and says so. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { bundle } from '../../testing/bundle'
import { CrashingMachine } from '../../testing/crashing-machine'
import { sessionName } from '../../testing/session-name'

// Three hosts with pauses of five seconds between them.
vi.setConfig({ testTimeout: 120_000 })

const s1 = sessionName('s1')
let machine: CrashingMachine
beforeEach(async () => {
  machine = await CrashingMachine.start()
})
afterEach(() => machine.dispose())

/** Hosts that may start a program die of it; the others, which only write, are the real ones. */
async function deadlyHosts(): Promise<string> {
  const real = await bundle('session-host/main.ts')
  const file = path.join(machine.bench.root, 'deadly-host.mjs')
  writeFileSync(
    file,
    `import { readFileSync } from 'node:fs'
     const { mode } = JSON.parse(readFileSync(process.argv[2] + '/launch.json', 'utf8'))
     if (mode === 'run') process.exit(9)
     await import(${JSON.stringify(real)})`,
  )
  return file
}

it('[RES-3.19] [RES-3.20] is told as an end in its log and in its status; a person resumes it, and the next daemon does not', async () => {
  await machine.rests(s1)
  await machine.loseDaemon()
  machine.kill(s1)
  await machine.begin({ hostEntry: await deadlyHosts() })
  await machine.until(() => machine.count(s1, 'process_exited') === 2)
  const told = machine.events(s1).findLast(({ kind }) => kind === 'process_exited')
  expect(told).toMatchObject({ cause: 'start_failed', error: { message: expect.stringContaining('not resumed') } })
  await machine.until(() => machine.status(s1).why === 'start_failed')
  expect(machine.status(s1).resumes).toBeUndefined()
  await machine.restartDaemon()
  expect([machine.status(s1).resumes, machine.starts(s1)]).toEqual([undefined, 1])
  await machine.command(s1, { kind: 'session.resume' })
  await machine.until(() => machine.starts(s1) === 2 && machine.status(s1).status === 'idle')
  expect(machine.count(s1, 'process_exited')).toBe(2)
})
