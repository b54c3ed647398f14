/**
 * The owner's kill switch: while this file exists, the agent does nothing that a hub asks for. It is a separate file, so it
 * also works with an unreadable policy, while the hub is down, and across restarts.
 */
import { rmSync, statSync } from 'node:fs'
import { CodedError } from '@roundhouse/backend-types'
import { writeDurably } from '../files/write-durably'

export class PauseSwitch {
  constructor(private readonly file: string) {}

  /** Since when the machine is paused, epoch ms; null where it is not. What cannot be told counts as paused. */
  since(): number | null {
    try {
      return Math.round(statSync(this.file).mtimeMs)
    } catch (error) {
      return isAbsent(error) ? null : 0
    }
  }

  /** False where it was paused already. */
  pause(): boolean {
    if (this.since() !== null) return false
    writeDurably(this.file, 'Paused by "roundhouse-agent pause". To go on: roundhouse-agent resume\n')
    return true
  }

  /** False where it was not paused. */
  resume(): boolean {
    const paused = this.since() !== null
    rmSync(this.file, { force: true })
    return paused
  }
}

export const pausedError = (): CodedError =>
  new CodedError(
    'POLICY_DENIED',
    'The owner of this machine has paused it, so it accepts nothing from the hub. To continue, run on that machine: roundhouse-agent resume',
    { rule: 'paused' },
  )

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
