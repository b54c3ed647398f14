import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from '../testing/bundle'

const folder = mkdtempSync(path.join(tmpdir(), 'roundhouse-ask-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PASSWORD = 'a-password-of-this-machine'

async function ask(program: string): Promise<unknown> {
  const binaryPath = path.join(folder, 'claude')
  writeFileSync(binaryPath, program)
  chmodSync(binaryPath, 0o700)
  const asker = spawn(process.execPath, [await bundle('session-host/ask-main.ts')], {
    env: { ...process.env, DATABASE_PASSWORD: PASSWORD },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  asker.stdin.write(`${JSON.stringify({ kind: 'claude', playerPath: '', scratchDir: folder, binaryPath })}\n`)
  try {
    for await (const line of createInterface({ input: asker.stdout })) return JSON.parse(line)
    return null
  } finally {
    asker.kill('SIGKILL')
  }
}

describe('what the asker tells of a program that is broken', () => {
  it('[LOG-9] quotes the first line of its stderr without the secrets in it', async () => {
    const reply = await ask('#!/bin/sh\necho "cannot log in with $DATABASE_PASSWORD" >&2\nexit 1\n')
    expect(reply).toMatchObject({
      entry: {
        installed: false,
        unavailableReason: 'claude --version failed: cannot log in with [redacted:credential]',
      },
    })
  })
})
