/**
 * `join`: registers this machine as an agent of a hub. It overwrites nothing without `--replace`, and no daemon may run in
 * the meantime.
 */
import { rmSync } from 'node:fs'
import os from 'node:os'
import { CodedError } from '@roundhouse/backend-types'
import { alone } from '../daemon/home/change-key'
import { removeDaemonFile } from '../daemon/home/daemon-file'
import { holdHome } from '../daemon/home/hold-home'
import { type AgentHome, requireWritableHome } from '../files/agent-home'
import { probeWrite } from '../files/write-durably'
import { enroll, readHubUrl } from '../identity/enroll'
import { readFingerprint } from '../identity/fingerprint'
import { fingerprintLines } from '../identity/fingerprint-lines'
import { postJson } from '../identity/hub-http'
import { readIdentity, writeIdentity } from '../identity/identity-file'
import { keptSocketKey } from '../identity/socket-key'
import type { Verb } from './arguments'
import { readToken } from './read-token'

type Asked = Extract<Verb, { verb: 'join' }>

export async function join(home: AgentHome, asked: Asked): Promise<string> {
  const fingerprint = readFingerprint(asked.fingerprint)
  if (fingerprint === null) {
    throw new CodedError(
      'INVALID_ARGUMENT',
      'The fingerprint must be complete: 64 hexadecimal digits, as the hub shows it.',
    )
  }
  const hubUrl = readHubUrl(asked.url, asked.plainHttp)
  requireWritableHome(home, probeWrite)
  const lock = holdHome(home)
  try {
    return await alone(home, () => enrollHere(home, asked, hubUrl, fingerprint))
  } finally {
    lock.release()
  }
}

async function enrollHere(home: AgentHome, asked: Asked, hubUrl: string, fingerprint: string): Promise<string> {
  const before = readIdentity(home.identityFile)
  if (before && !asked.replace) {
    throw new CodedError(
      'ALREADY_RUNNING',
      `This machine already belongs to ${before.hubUrl} as "${before.name}". To leave that hub, or to join it again after it was set up again with another key, add --replace.`,
    )
  }
  const token = await readToken(asked.tokenFile)
  const { identity, state } = await enroll(postJson, {
    hubUrl,
    fingerprint,
    token,
    name: asked.name ?? os.hostname().slice(0, 100),
    platform: `${process.platform} ${process.arch}`,
  })
  for (const file of [home.chainFile, home.auditHeadsFile, home.nextKeyFile]) rmSync(file, { force: true })
  removeDaemonFile(home.daemonFile) // in a copy it names the agent of the original
  // Hosts that still run are reached with the secret that they were given.
  writeIdentity(home.identityFile, { ...identity, ...keptSocketKey(before) })
  const waits =
    "A person must approve this machine first: compare the key on the hub's Machines page with the one above."
  return [
    `Joined ${hubUrl} as "${identity.name}".`,
    ...nameLines(asked.name, identity.name),
    ...fingerprintLines(identity),
    ...(state === 'pending' ? [waits] : []),
    'Next: roundhouse-agent allow <folder>, then roundhouse-agent up',
  ].join('\n')
}

/** Whoever created the token may have named the machine, and that name comes first. */
function nameLines(asked: string | null, name: string): string[] {
  if (asked === null || asked === name) return []
  return [
    `The name "${asked}" was not used: the enrollment token was created for "${name}". Rename it on the hub's Machines page.`,
  ]
}
