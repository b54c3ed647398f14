/** Everything that the start of a session needs: what to start, with what, and how long to wait for it. */
import type { Json } from '@roundhouse/adapter-kit/read'
import type { AdapterContext, LeftOut, SpawnOptions } from '@roundhouse/backend-types'
import type { CompanionPlan } from './program/companion'
import type { ModelsPlace } from './program/known-models'
import type { Launch } from './program/launch'
import type { AcpProgram } from './program/program'

export interface SessionPlan {
  id: string
  program: AcpProgram
  file: string
  launch: Launch
  companion?: CompanionPlan | undefined
  options: SpawnOptions
  workDir: string
  timing: Timing
  /** Belongs to this process alone, and goes with it. */
  tmpDir: string
  mcpServers: Json[]
  leftOut: readonly LeftOut[]
  markedBy?: AdapterContext['markedBy'] | undefined
  /** Where it leaves the models that the program names. */
  models?: ModelsPlace | undefined
}

export interface Timing {
  /** For each answer that a start needs. */
  startTimeoutMs: number
  /** Between the request to end and the kill. */
  endGraceMs: number
  /** At most, for what a program tells again. */
  toldAgainMs: number
}

export const defaultTiming: Timing = { startTimeoutMs: 60_000, endGraceMs: 5_000, toldAgainMs: 5_000 }
