import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { FOLDER_RULE_LIFE_MS, MOST_FOLDER_RULES } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderRulesFolder, type KeptRule } from './folder-rules'

let home: string
let folder: string
let now: number
let rules: FolderRulesFolder
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'rules-'))
  folder = path.join(home, 'config/rules')
  now = 1_000
  rules = new FolderRulesFolder(folder, home, () => now)
})
afterEach(() => rmSync(home, { recursive: true }))

const rule = (ruleId: string, over: Partial<KeptRule> = {}): KeptRule => ({
  ruleId,
  scope: { kind: 'edit_folder', folder: '/w' },
  label: 'edits',
  folder: '/w',
  backend: 'scripted',
  createdAt: 1_000,
  expiresAt: 1_000 + FOLDER_RULE_LIFE_MS,
  author: { userId: 'u', name: 'Ana' },
  sessionId: 's',
  actionDigest: 'd',
  commandId: 'c',
  ...over,
})

describe('the rules of a machine', () => {
  it('[PERM-13.1] are files of their own that only the owner can read, and outlive this process', () => {
    rules.keep(rule('r2', { createdAt: 900 }))
    rules.keep(rule('r1'))
    expect(readdirSync(folder).sort()).toEqual(['r1.json', 'r2.json'])
    expect([folder, path.join(folder, 'r1.json')].map((place) => statSync(place).mode & 0o077)).toEqual([0, 0])
    expect(new FolderRulesFolder(folder, home, () => now).all()).toEqual([rule('r2', { createdAt: 900 }), rule('r1')])
  })

  it('[PERM-13.9] are gone when they are revoked, each by itself', () => {
    rules.keep(rule('r1'))
    rules.keep(rule('r2'))
    expect(rules.revoke('r1')).toEqual(rule('r1'))
    expect(rules.revoke('r1')).toBeNull()
    expect(rules.revoke('../policy')).toBeNull()
    expect(rules.all()).toEqual([rule('r2')])
  })

  it('[PERM-13.10] hold from their beginning to their end', () => {
    rules.keep(rule('r1'))
    const holds = [999, 1_000, 1_000 + FOLDER_RULE_LIFE_MS - 1, 1_000 + FOLDER_RULE_LIFE_MS].map((at) => {
      now = at
      return rules.all().length
    })
    expect(holds).toEqual([0, 1, 1, 0])
  })

  it('[PERM-13.12] allow nothing where somebody else could have written them', () => {
    rules.keep(rule('r1'))
    chmodSync(folder, 0o777)
    expect(rules.all()).toEqual([])
    chmodSync(folder, 0o700)
    chmodSync(path.join(folder, 'r1.json'), 0o666)
    expect(rules.all()).toEqual([])
  })

  it('are read leniently: what is no rule of its name is none', () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(path.join(folder, 'r1.json'), '{"ruleId":')
    writeFileSync(path.join(folder, 'r2.json'), JSON.stringify(rule('other')), { mode: 0o600 })
    symlinkSync(path.join(folder, 'r2.json'), path.join(folder, 'other.json'))
    rules.keep(rule('r3'))
    expect(rules.all()).toEqual([rule('r3')])
  })

  it('[PERM-13.13] are at most 200, and what has expired makes room', () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (let at = 0; at < MOST_FOLDER_RULES; at += 1) {
      const kept = rule(`r${at}`, { expiresAt: at === 7 ? 2_000 : 9_000 })
      writeFileSync(path.join(folder, `r${at}.json`), JSON.stringify(kept), { mode: 0o600 })
    }
    expect(rules.hasRoom()).toBe(false)
    expect(() => rules.keep(rule('more'))).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
    now = 3_000
    rules.keep(rule('more'))
    expect(rules.revoke('r7')).toBeNull()
  })
})
