/** What a session came to, for the program that ran it. Field names are those of the document. */
import { z } from 'zod'
import { omitEmpty } from './omit-empty'
import { ProviderName } from './provider-name'

/** A backend fills in what it knows. */
export const CostData = z.object({
  inputTokens: omitEmpty(z.number().int()),
  outputTokens: omitEmpty(z.number().int()),
  cachedInputTokens: omitEmpty(z.number().int()),
  totalCostUsd: omitEmpty(z.number()),
  numTurns: omitEmpty(z.number().int()),
})
export type CostData = z.infer<typeof CostData>

/** What a caller did after the session. Roundhouse fills in none of it. */
export const BackstopReport = z.object({
  triggered: z.boolean(),
  pushed: omitEmpty(z.boolean()),
  prCreated: omitEmpty(z.boolean()),
  prUrl: omitEmpty(z.string()),
  unfilledFields: omitEmpty(z.array(z.string())),
  diagnostics: omitEmpty(z.string()),
})
export type BackstopReport = z.infer<typeof BackstopReport>

/** What a caller measured before and after. Roundhouse fills in none of it. */
export const QualityReport = z.object({
  baselineCaptured: z.boolean(),
  testDelta: z.number().int(),
  typeDelta: z.number().int(),
  lintDelta: z.number().int(),
  blockedPromotion: z.boolean(),
})
export type QualityReport = z.infer<typeof QualityReport>

export const Result = z.object({
  status: z.enum(['completed', 'failed', 'stopped']),
  providerName: ProviderName,
  providerSessionId: omitEmpty(z.string()),
  worktreePath: omitEmpty(z.string()),
  pullRequestUrl: omitEmpty(z.string()),
  commitSha: omitEmpty(z.string()),
  summary: omitEmpty(z.string()),
  workResult: omitEmpty(z.enum(['passed', 'failed', 'unknown', ''])),
  cost: CostData.optional(),
  failureMode: omitEmpty(z.string()),
  backstopReport: BackstopReport.optional(),
  qualityReport: QualityReport.optional(),
  error: omitEmpty(z.string()),
})
export type Result = z.infer<typeof Result>
