/** Every store: what is decided, moved and spent once, and what is kept of it. */
import type { CommandState } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CommandError } from '../core/ports/command-store'
import type { StoreContext } from '../testing/store-context'
import { commandRow, machineRow, requestRow, tokenRow } from '../testing/store-rows'

export function registersSuite(context: StoreContext): void {
  describe('commands', () => {
    const of = { sessionId: 's_1', agentId: 'box' }
    const add = (commandId: string, change: Parameters<typeof commandRow>[2] = {}) =>
      context.write((tx) => tx.commands.insert(commandRow(commandId, of, change)))

    it('[CMD-2] move once: whoever comes second is told so', async () => {
      await add('c_1')
      const move = (...how: [CommandState, CommandState, CommandError?]) =>
        context.decide({ commands: ['c_1'] }, (set) => set.commands.move('c_1', ...how))
      const first = await move('pending', 'sent')
      const second = await move('pending', 'sent')
      const refused = { code: 'TURN_RUNNING', message: 'busy', field: 'mode' }
      const third = await move('sent', 'refused', refused)
      expect([first, second, third]).toEqual([true, false, true])
      const refusedRow = { state: 'refused', errorCode: 'TURN_RUNNING', errorMessage: 'busy', errorField: 'mode' }
      expect(await context.reads.commands.find('c_1')).toEqual(
        commandRow('c_1', of, { ...refusedRow, state: 'refused' }),
      )
    })

    it('are due oldest first, pending while nobody sent them, and overdue past their time', async () => {
      await add('c_2', { createdAt: 2, state: 'sent' })
      await add('c_1', { createdAt: 1, expiresAt: 10 })
      await add('c_3', { createdAt: 3, state: 'done' })
      const { commands } = context.reads
      const names = (rows: ReadonlyArray<{ commandId: string }>) => rows.map(({ commandId }) => commandId)
      expect(names(await commands.dueOfMachine('box'))).toEqual(['c_1', 'c_2'])
      expect(names(await commands.dueOfSession('s_1'))).toEqual(['c_1', 'c_2'])
      expect(names(await commands.pending())).toEqual(['c_1'])
      expect([names(await commands.overdue(9)), names(await commands.overdue(10))]).toEqual([[], ['c_1']])
    })

    it('stand on the page of their session until they are done or dismissed, oldest first', async () => {
      await add('c_2', { createdAt: 2, state: 'refused' })
      await add('c_1', { createdAt: 1 })
      await add('c_3', { createdAt: 3, state: 'done' })
      const names = async () => (await context.reads.commands.shown('s_1')).map(({ commandId }) => commandId)
      expect(await names()).toEqual(['c_1', 'c_2'])
      const many = await context.reads.commands.shownOfMany(['s_1', 'nobody'])
      expect(many).toEqual(new Map([['s_1', await context.reads.commands.shown('s_1')]]))
      expect(await context.write((tx) => tx.commands.dismiss('s_1', 'c_2'))).toBe(true)
      expect(await names()).toEqual(['c_1'])
    })

    it('stand on the page fifty at a time, with the one that creates the session', async () => {
      await add('c_0', { createdAt: 0, kind: 'session.create', state: 'refused' })
      for (let n = 1; n <= 60; n++) await add(`c_${n}`, { createdAt: n, state: 'refused' })
      const shown = await context.reads.commands.shown('s_1')
      const newest = Array.from({ length: 50 }, (_, n) => `c_${n + 11}`)
      expect(shown.map(({ commandId }) => commandId)).toEqual(['c_0', ...newest])
      expect(await context.reads.commands.shownOfMany(['s_1'])).toEqual(new Map([['s_1', shown]]))
    })

    it('are looked up together as each alone', async () => {
      for (const commandId of ['c_1', 'c_2']) await add(commandId)
      await context.decide({}, (set) => set.commands.setProven('c_2', 'user_message', 7))
      const asked = ['c_1', 'c_2', 'c_none'] as const
      const looked = (some: readonly string[]) => {
        const given = some.map((commandId) => ({ commandId, kind: 'user_message' as const }))
        const keys = { commands: some, given, requests: some }
        return context.decide(keys, (set) =>
          some.map((id) => [set.commands.find(id), set.commands.given(id, 'user_message'), set.requests.find(id)]),
        )
      }
      const alone = await Promise.all(asked.map((commandId) => looked([commandId])))
      const together = await looked([...asked, 'c_1'])
      expect(together).toEqual([...alone.flat(), ...(alone[0] as unknown[])])
      expect(together).toMatchObject([
        [{ state: 'pending' }, { provenSeq: null }, undefined],
        [{ state: 'pending' }, { provenSeq: 7 }, undefined],
        [undefined, undefined, undefined],
        [{ commandId: 'c_1' }, { commandId: 'c_1' }, undefined],
      ])
    })

    it('[VIEW-8] prove one deed of a kind, once', async () => {
      await add('c_1')
      await context.decide({}, (set) => set.commands.setProven('c_1', 'user_message', 7))
      await context.decide({}, (set) => set.commands.setProven('c_1', 'user_message', 8))
      const { commands } = context.reads
      const asked = [
        { commandId: 'c_1', kind: 'user_message' },
        { commandId: 'c_1', kind: 'session_ended' },
        { commandId: 'nobody', kind: 'user_message' },
      ]
      const given = await commands.given(asked)
      expect(given.map(({ kind, command }) => [kind, command.commandId, command.provenSeq]).sort()).toEqual([
        ['session_ended', 'c_1', null],
        ['user_message', 'c_1', 7],
      ])
    })

    it('[VIEW-8] that edited prompts are found for several prompts at once, the newest first', async () => {
      const edit = (commandId: string, promptId: string, createdAt: number) =>
        add(commandId, { kind: 'queue.edit', promptId, createdAt })
      await edit('c_1', 'p_1', 1)
      await edit('c_2', 'p_1', 2)
      await edit('c_3', 'p_2', 3)
      await add('c_4', { promptId: 'p_1', createdAt: 4 })
      const edits = await context.reads.commands.promptEdits('s_1', ['p_1', 'p_2', 'p_3'])
      const ids = [...edits].map(([promptId, found]) => [promptId, found.map(({ commandId }) => commandId)])
      expect(Object.fromEntries(ids)).toEqual({ p_1: ['c_2', 'c_1'], p_2: ['c_3'] })
      expect(await context.reads.commands.promptEdits('another', ['p_1'])).toEqual(new Map())
    })
  })

  describe('permission requests', () => {
    const decision = { decision: 'allow', userId: 'ana', userName: 'Ana', at: 5, device: null, reason: null } as const
    const add = (requestId: string, change: Parameters<typeof requestRow>[2] = {}) => {
      const of = { sessionId: 's_1', agentId: 'box' }
      return context.change({ op: 'request.insert', row: requestRow(requestId, of, change) })
    }
    const decide = (requestId: string, commandId: string) =>
      context.write((tx) => tx.requests.decide(requestId, { ...decision, commandId }))
    beforeEach(async () => {
      await context.addSession('s_1')
    })

    it('[PERM-1] are decided once, while they are open', async () => {
      await add('r_1')
      await add('r_2')
      await context.change({ op: 'request.close', requestId: 'r_2', outcome: 'orphaned', resolvedSeq: 3 })
      expect([await decide('r_1', 'c_1'), await decide('r_1', 'c_2'), await decide('r_2', 'c_3')]).toEqual([
        true,
        false,
        false,
      ])
      const { userId, userName, at, ...rest } = decision
      const stored = { decidedBy: userId, deciderName: userName, decidedAt: at, ...rest }
      expect(await context.reads.requests.find('r_1')).toMatchObject({ ...stored, commandId: 'c_1', outcome: 'open' })
      const empty = (commandId: string) =>
        context.decide({ requests: ['r_1'] }, (set) => set.requests.emptyDecision('r_1', commandId))
      expect(await empty('c_2')).toBe(false)
      expect(await empty('c_1')).toBe(true)
      expect(await context.reads.requests.find('r_1')).toMatchObject({ decision: null, commandId: null })
    })

    it('keep what they were first, and are opened again as they are asked then', async () => {
      await add('r_1', { digest: 'first' })
      await add('r_1', { digest: 'second' })
      await context.change({ op: 'requests.closeAllOpen', sessionId: 's_1', outcome: 'orphaned', resolvedSeq: 4 })
      expect(await context.reads.requests.find('r_1')).toMatchObject({
        digest: 'first',
        outcome: 'orphaned',
        resolvedSeq: 4,
      })
      const { ask } = requestRow('r_9', { sessionId: 's_1', agentId: 'box' })
      await context.change({ op: 'request.reopen', requestId: 'r_1', ask })
      expect(await context.reads.requests.find('r_1')).toMatchObject({ ask, outcome: 'open', resolvedSeq: null })
    })

    it('are found by id, with the state of the command that carries the decision', async () => {
      for (const requestId of ['r_1', 'r_2']) await add(requestId)
      await context.write((tx) => tx.commands.insert(commandRow('c_1', { sessionId: 's_1', agentId: 'box' })))
      await decide('r_1', 'c_1')
      const found = await context.reads.requests.findMany(['r_2', 'r_1', 'nobody'])
      const states = found.map(({ requestId, commandState }) => [requestId, commandState ?? null])
      expect(Object.fromEntries(states)).toEqual({ r_1: 'pending', r_2: null })
    })

    it('wait in turns: the first of each machine before the second of any, the newest few of each', async () => {
      for (const [requestId, agentId] of [
        ['r_1', 'a'],
        ['r_2', 'a'],
        ['r_3', 'a'],
        ['r_4', 'b'],
      ] as const)
        await add(requestId, { agentId })
      const { requests } = context.reads
      const names = async (inAll: number, agents: ReadonlySet<string> | null) => {
        const rows = await requests.pending({ perMachine: 2, inAll, bytesPerMachine: 1e6 }, agents)
        return rows.map(({ requestId }) => requestId)
      }
      expect([await names(9, null), await names(2, null), await names(9, new Set(['b']))]).toEqual([
        ['r_2', 'r_4', 'r_3'],
        ['r_2', 'r_4'],
        ['r_4'],
      ])
      expect(await requests.pendingByMachine(null)).toEqual(
        new Map([
          ['a', 3],
          ['b', 1],
        ]),
      )
      expect(await requests.pendingBySession(['s_1', 'nobody'])).toEqual(new Map([['s_1', 4]]))
      const open = (agentId: string) =>
        context.decide({ openRequests: [{ agentId, sessionId: 's_1' }] }, (set) => set.requests.open('s_1'))
      expect(await open('a')).toMatchObject({ ofMachine: { count: 3 }, ofSession: { count: 4 } })
    })
  })

  describe('machines', () => {
    it('come back as they were stored, and without their manifest where nobody shows it', async () => {
      const row = machineRow('box', { manifest: { manifestVersion: 1, generatedAt: '', backends: [] }, lastSeenAt: 5 })
      await context.write((tx) => tx.machines.insert(row))
      const { manifest: _, ...shown } = row
      expect(await context.reads.machines.findWithManifest('box')).toEqual(row)
      expect(await context.reads.machines.find('box')).toMatchObject(shown)
      expect(await context.reads.machines.findMany(['box', 'nobody', 'box'])).toHaveLength(1)
      await context.decide({}, (set) => set.machines.update('box', { connEpoch: 3, lastSeenAt: null, chains: ['c'] }))
      await context.write((tx) => tx.machines.update('box', { state: 'revoked', clonedAt: 9, roots: [] }))
      const lists = { chains: ['c'], roots: [] }
      const changed = { ...row, ...lists, connEpoch: 3, lastSeenAt: null, state: 'revoked', clonedAt: 9 }
      expect(await context.write((tx) => tx.machines.find('box'))).toEqual(changed)
      expect(await context.reads.machines.listWithManifests()).toEqual([changed])
      const { idsInState } = context.reads.machines
      expect([await idsInState('revoked'), await idsInState('active')]).toEqual([['box'], []])
      expect(await context.decide({ fences: ['box'] }, (set) => set.machines.fence('box'))).toEqual({
        connEpoch: 3,
        state: 'revoked',
        name: 'box',
      })
    })

    it('[JOIN-4] a key is known while a machine has it, and when it had it', async () => {
      await context.write((tx) => tx.machines.insert(machineRow('box', { publicKey: 'new' })))
      await context.write((tx) => tx.machines.retireKey({ publicKey: 'old', agentId: 'box', retiredAt: 1 }))
      const known = await context.write((tx) =>
        Promise.all(['new', 'old', 'other'].map((key) => tx.machines.isKeyKnown(key))),
      )
      expect([known, await context.write((tx) => tx.machines.retiredKeys('box'))]).toEqual([
        [true, true, false],
        ['old'],
      ])
    })

    it('[JOIN-1] a token is spent once, in time, and not after ten wrong secrets', async () => {
      for (const tokenId of ['t_1', 't_2', 't_3'])
        await context.write((tx) => tx.enrollmentTokens.insert(tokenRow(tokenId)))
      for (let n = 0; n < 10; n += 1) await context.write((tx) => tx.enrollmentTokens.countWrong('t_2'))
      await context.write((tx) => tx.enrollmentTokens.revoke('t_3', 2))
      const spend = (tokenId: string, at: number) =>
        context.write((tx) => tx.enrollmentTokens.spend(tokenId, 'box', at))
      const spent = [
        await spend('t_1', 1_000),
        await spend('t_1', 5),
        await spend('t_1', 6),
        await spend('t_2', 5),
        await spend('t_3', 5),
      ]
      expect(spent).toEqual([false, true, false, false, false])
      expect(await context.reads.enrollmentTokens.find('t_1')).toEqual(tokenRow('t_1', { usedAt: 5, usedBy: 'box' }))
    })
  })

  it('an invitation is taken once, with the machines that it shares', async () => {
    const made = {
      secretHash: 'h',
      email: 'ben@example.com',
      role: 'operator',
      userId: null,
      createdBy: 'ana',
    } as const
    const times = { createdAt: 1, expiresAt: 10, usedAt: null, revokedAt: null, wrongAttempts: 0 }
    const row = { invitationId: 'i_1', agents: ['box', 'other'], ...made, ...times }
    await context.write((tx) => tx.invitations.insert(row))
    expect(await context.reads.invitations.newest(5)).toEqual([row])
    const spend = () => context.write((tx) => tx.invitations.spend('i_1', 5))
    expect([await spend(), await spend()]).toEqual([true, false])
    await context.write((tx) => tx.invitations.reopen('i_1'))
    expect(await context.write((tx) => tx.invitations.find('i_1'))).toEqual(row)
  })

  it('[AUD-2] each row of the audit log follows the last, whoever wrote it', async () => {
    const entry = { actorId: 'ana', actorName: 'Ana', action: 'a.deed', outcome: 'ok' } as const
    expect(await context.write((tx) => tx.audit.nextHead())).toBeNull()
    await context.write((tx) => tx.audit.append(entry, 1))
    await context.decide({}, (set) => set.hub.appendAudit({ ...entry, detail: { n: 1 } }, 2))
    const { rows, lastId } = await context.reads.audit.after(0, 10)
    expect([rows.map(({ id }) => id), lastId, await context.reads.audit.newestId()]).toEqual([[1, 2], 2, 2])
    expect(new Set(rows.map(({ hash }) => hash)).size).toBe(2)
    expect(await context.write((tx) => tx.audit.nextHead())).toEqual({ id: 2, hash: rows[1]?.hash, count: 1 })
  })

  it('[IMG-1] an image is given back in parts, and forgotten while no prompt brings it', async () => {
    const bytes = new Uint8Array(700_000).map((_, n) => n % 251)
    const row = {
      sessionId: null,
      userId: 'ana',
      mediaType: 'image/png',
      bytes: bytes.length,
      sha256: 'x',
      createdAt: 1,
      usedAt: null,
    } as const
    for (const imageId of ['i_1', 'i_2']) {
      await context.store.images.keep(imageId, bytes, 1)
      await context.write((tx) => tx.images.insert({ imageId, ...row }))
    }
    await context.addSession('s_1')
    await context.write((tx) => tx.images.bring(['i_1'], 's_1', 2))
    const parts: Uint8Array[] = []
    const length = () => parts.reduce((sum, part) => sum + part.length, 0)
    const { images } = context.store
    for (let part = await images.chunk('i_1', 0); part; part = await images.chunk('i_1', length())) parts.push(part)
    expect(Buffer.compare(Buffer.concat(parts), Buffer.from(bytes))).toBe(0)
    expect(await images.held('s_1', 'ana')).toEqual({
      ofSession: bytes.length,
      unused: bytes.length,
      unusedCount: 1,
    })
    await context.store.images.forgetUnused(2)
    expect([(await images.find('i_1'))?.usedAt, await images.find('i_2')]).toEqual([2, undefined])
    expect(await images.chunk('i_2', 0)).toBeUndefined()
  })
}
