import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, agentHome } from '../files/agent-home'
import { FolderRulesFolder } from '../policy/folder-rules'
import { requireOwner } from './owner-only'
import { listRules, revokeRule } from './rules'

let home: AgentHome
beforeEach(() => {
  home = agentHome({ ROUNDHOUSE_AGENT_HOME: mkdtempSync(path.join(os.tmpdir(), 'rules-')) })
  mkdirSync(home.config, { mode: 0o700 })
  const createdAt = Date.now()
  new FolderRulesFolder(home.rulesFolder, home.home, Date.now).keep({
    ruleId: 'r1',
    scope: { kind: 'edit_folder', folder: '/w' },
    label: 'edits of files in /w',
    folder: '/w',
    backend: 'claude',
    createdAt,
    expiresAt: createdAt + 1_000_000,
    author: { userId: 'u1', name: 'Ana' },
    sessionId: 's1',
    actionDigest: 'd',
    commandId: 'c',
  })
})
afterEach(() => rmSync(home.home, { recursive: true }))

describe('rules', () => {
  it('[PERM-13.14] lists what is allowed, where, until when, by whom and in which session', () => {
    writeFileSync(home.policyFile, JSON.stringify({ version: 1, acceptHubRules: true }), { mode: 0o600 })
    const text = listRules(home)
    expect(text).toMatch(
      /^r1 {2}edits of files in \/w\n {4}for claude in \/w, until \S+Z\n {4}by Ana \(u1\), \S+Z, in the session s1\n/,
    )
    expect(text).not.toContain('!!')
  })

  it('[PERM-13.11] says that the policy takes no rules', () => {
    expect(listRules(home)).toContain('!! acceptHubRules is off')
  })

  it('[PERM-13.9] revokes one, and says that there is none', () => {
    expect(revokeRule(home, 'r1')).toBe('Revoked: edits of files in /w')
    expect(listRules(home)).toMatch(/^No rules/)
    expect(() => revokeRule(home, 'r1')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }))
  })

  it('[POL-4.10] can be listed by a program of a session, and not revoked', () => {
    mkdirSync(path.join(home.sessions, 's1'), { recursive: true })
    const env = { ROUNDHOUSE_SESSION: 's1' }
    expect(() => requireOwner({ verb: 'rules', revoke: null }, env, home)).not.toThrow()
    expect(() => requireOwner({ verb: 'rules', revoke: 'r1' }, env, home)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN' }),
    )
  })
})
