/** The audit log of a real hub, its check as a program of its own, and somebody who has been at the database. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AuditHead } from '@roundhouse/backend-types'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { freshFolder, repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { AgentProcess } from '../support/processes/agent-process'
import { HubProcess } from '../support/processes/hub-process'
import { type Rig, startRig } from '../support/rigs/rig'

let hub: HubProcess
let rig: Rig | undefined
afterEach(async () => {
  await rig?.dispose()
  rig = undefined
  await hub.stop()
  rmSync(hub.dataDir, { recursive: true, force: true, maxRetries: 5 })
})

function check(...args: string[]): { code: number | null; said: string } {
  const program = path.join(repoRoot, 'apps/hub/dist/audit-check.js')
  const run = spawnSync(process.execPath, [program, '--data', hub.dataDir, ...args], { encoding: 'utf8' })
  return { code: run.status, said: run.stdout.trim() }
}

function tamper(sql: string): void {
  const db = new Database(path.join(hub.dataDir, 'hub.db'))
  db.exec(sql)
  db.close()
}

describe('the audit log', () => {
  it('[T51] is checked beside a running hub and on what a killed one left; a change is found by both, and said aloud', async () => {
    hub = new HubProcess(freshFolder('audit'))
    await hub.start()
    await hub.makeOwner()
    const { rest } = await hub.client()
    const { state } = await rest.audit()
    expect(state).toMatchObject({ intact: true, count: 3 }) // the local machine's token, the setup, the login
    expect(check()).toEqual({ code: 0, said: `audit log intact: 3 rows, head 3 ${state.head.hash}` })
    await hub.kill()
    expect(check('--head', state.head.hash).code).toBe(0)
    expect(check('--head', 'f'.repeat(64))).toMatchObject({
      code: 1,
      said: expect.stringContaining('not in this chain'),
    })

    tamper("DROP TRIGGER Audit_no_update; UPDATE Audit SET actorName = 'Eve' WHERE action = 'hub.setup'")
    expect(check()).toMatchObject({
      code: 1,
      said: expect.stringContaining('AUDIT LOG BROKEN after 1 good rows: row 2'),
    })
    await hub.start()
    await until('the warning', () => hub.output.includes('THE AUDIT LOG WAS TAMPERED WITH'))
    expect((await rest.audit()).state).toMatchObject({ intact: false, broken: { id: 2 } })
  })

  it('[STORE-4.3] lies with everything else where nobody but its user reads, also what an earlier start left open', async () => {
    hub = new HubProcess(freshFolder('audit'))
    const modeOf = (name: string) => (statSync(path.join(hub.dataDir, name)).mode & 0o777).toString(8)
    const files = ['hub.db', 'secret', 'local-enrollment.json']
    await hub.start()
    await hub.kill()
    writeFileSync(path.join(hub.dataDir, 'hub.db.copy'), '')
    for (const name of [...files, 'hub.db.copy', 'hub.db-wal']) chmodSync(path.join(hub.dataDir, name), 0o644)
    chmodSync(hub.dataDir, 0o755)
    await hub.start()
    const names = ['.', ...files, 'hub.db.copy', 'hub.db-wal', 'hub.db-shm', 'hub.json']
    expect(names.map(modeOf)).toEqual(['700', ...names.slice(1).map(() => '600')])
  })

  it('[AUD-3.2] is compared with people, machines and events: what no row tells of is found, each with a line', async () => {
    rig = await startRig()
    hub = rig.system.hub
    const sessionId = await rig.begin([{ text: 'One.' }, { text: 'Two.' }])
    await rig.agree(sessionId)
    expect(check().code).toBe(0)
    tamper(
      "INSERT INTO User (id, name, email, createdAt, updatedAt, role) VALUES ('u_eve', 'Eve', 'eve@x.de', 1, 1, 'owner')",
    )
    tamper("UPDATE Agent SET keyFingerprint = 'other', state = 'disabled'")
    tamper("UPDATE Event SET body = replace(body, 'Two.', 'Tea.') WHERE body LIKE '%\"Two.\"%'")
    const { code, said } = check()
    expect(code).toBe(1)
    expect(said.split('\n')).toEqual([
      expect.stringContaining('audit log intact'),
      expect.stringMatching(/^RIGHTS DIFFER: the person u_eve is owner, and no row says how$/),
      expect.stringMatching(/^RIGHTS DIFFER: the machine agt_\S+ is disabled, and the log up to row \d+ says active$/),
      expect.stringMatching(/^RIGHTS DIFFER: the machine agt_\S+ shows the key other/),
      expect.stringMatching(/^EVENTS CHANGED: session ses_\S+: the event \d+ is not what was stored$/),
    ])
  })

  it('is not called intact where there is none', () => {
    hub = new HubProcess(freshFolder('audit'))
    expect(check()).toEqual({ code: 2, said: '' })
  })
})

describe('the heads that machines keep', () => {
  const rows = () => {
    const db = new Database(path.join(hub.dataDir, 'hub.db'), { readonly: true })
    try {
      return db.prepare<[], { n: number }>('SELECT max(id) AS n FROM Audit').get()?.n ?? 0
    } finally {
      db.close()
    }
  }
  let machine: AgentProcess
  afterEach(async () => {
    await machine.stop()
    rmSync(machine.home, { recursive: true, force: true, maxRetries: 5 })
  })
  const keptFile = () => path.join(machine.home, 'state/audit-heads.json')
  const kept = (): AuditHead[] => (existsSync(keptFile()) ? JSON.parse(readFileSync(keptFile(), 'utf8')) : [])
  /** Enough rows that a later one cannot take the place of the last. */
  async function begin(): Promise<void> {
    hub = new HubProcess(freshFolder('audit'))
    machine = new AgentProcess(freshFolder('audit-agent'), {})
    await hub.start()
    await hub.makeOwner()
    const { rest } = await hub.client()
    await machine.join(hub, 'bench')
    for (let n = 0; n < 8; n += 1) await rest.makeEnrollmentToken({})
    await machine.start()
    await until('a head on the machine', () => (kept()[0]?.id ?? 0) >= 10)
  }

  it('[AUD-2.6] a log whose end was cut off is found as soon as the machine is back, and said aloud', async () => {
    await begin()
    await machine.kill()
    await hub.kill()
    expect(check()).toMatchObject({ code: 0 })
    tamper(
      "DROP TRIGGER Audit_no_delete; DELETE FROM Audit WHERE id > 4; UPDATE sqlite_sequence SET seq = 4 WHERE name = 'Audit'",
    )
    expect(check()).toMatchObject({ code: 0 }) // the file alone does not tell
    const said = expect.stringContaining('cut off')
    expect(check('--heads', keptFile())).toMatchObject({ code: 1, said })
    await hub.start()
    await machine.start()
    await until('the warning', () => hub.output.includes('THE AUDIT LOG WAS TAMPERED WITH'))
    expect(check()).toMatchObject({ code: 1, said })
    const { rest } = await hub.client()
    const { state } = await rest.audit()
    expect(state).toMatchObject({ intact: false, broken: { id: kept()[0]?.id } })
  })

  it('[AUD-2.12] a file that was put back is a marked row, with the number of the rows that are gone', async () => {
    await begin()
    await hub.stop()
    const older = path.join(hub.dataDir, 'older')
    cpSync(path.join(hub.dataDir, 'hub.db'), older)
    await hub.start()
    await machine.connected()
    const { rest } = await hub.client()
    for (let n = 0; n < 5; n += 1) await rest.makeEnrollmentToken({})
    const before = rows()
    await machine.kill()
    await machine.start()
    await until('a newer head', () => (kept()[0]?.id ?? 0) >= before)
    const newest = kept()[0]?.id
    await hub.stop()
    for (const name of ['hub.db-wal', 'hub.db-shm']) rmSync(path.join(hub.dataDir, name), { force: true })
    cpSync(older, path.join(hub.dataDir, 'hub.db'))
    expect(check('--heads', keptFile())).toMatchObject({ code: 1, said: expect.stringContaining('older') })
    await hub.start()
    await until('heads of two epochs', () => kept().length === 2)
    const { code, said } = check()
    expect(code).toBe(0)
    expect(said).toContain(`the data was put back to an older state here; rows up to ${newest} had been written before`)
    expect(check('--heads', keptFile())).toMatchObject({ code: 0 })

    // The same backup once more, and more rows than the time between had: nobody's alarm either.
    await hub.stop()
    for (const name of ['hub.db-wal', 'hub.db-shm']) rmSync(path.join(hub.dataDir, name), { force: true })
    cpSync(older, path.join(hub.dataDir, 'hub.db'))
    await hub.start()
    await until('heads of three epochs', () => kept().length === 3)
    const again = (await hub.client()).rest
    for (let n = 0; n < 8; n += 1) await again.makeEnrollmentToken({})
    expect((await again.audit()).state).toMatchObject({ intact: true })
    expect(check()).toMatchObject({ code: 0 })
    expect(check('--heads', keptFile())).toMatchObject({ code: 0 })
    expect(hub.output).not.toContain('TAMPERED')
  })
})
