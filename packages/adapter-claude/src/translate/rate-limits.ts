/** Limits of a subscription, as the CLI tells them after a request: said again only when something a person would see changed. */
import type { BackendOutput } from '@roundhouse/backend-types'
import { compact, type Frame, numberAt, recordAt, textAt } from '../wire/frames'

/** Of a share that only grows, every step of so many percent is told. */
const STEP = 10

export class RateLimits {
  private readonly told = new Map<string, string>()

  /** A `rate_limit_event`; undefined where it tells nothing new. */
  read(frame: Frame): BackendOutput | undefined {
    const about = recordAt(frame, 'rate_limit_info')
    const limit = textAt(about, 'rateLimitType') ?? 'unknown'
    const status = statuses[textAt(about, 'status') ?? '']
    const share = numberAt(about, 'utilization')
    const usedPercent = share === undefined ? undefined : Math.round(share <= 1 ? share * 100 : share)
    const key = status && `${status} ${Math.floor((usedPercent ?? 0) / STEP)} ${numberAt(about, 'resetsAt')}`
    if (key === this.told.get(limit)) return undefined
    if (!status || !key) {
      this.told.delete(limit)
      return undefined
    }
    this.told.set(limit, key)
    const resetsAt = numberAt(about, 'resetsAt')
    return {
      kind: 'system',
      subtype: 'rate_limit',
      data: compact({
        status,
        limit: names[limit],
        usedPercent,
        resetsAt: resetsAt === undefined ? undefined : resetsAt * 1_000,
      }),
    }
  }
}

/** What is simply allowed is no news. */
const statuses: Record<string, 'warning' | 'reached' | undefined> = {
  allowed_warning: 'warning',
  rejected: 'reached',
}

const names: Record<string, string | undefined> = {
  five_hour: '5 hours',
  seven_day: '7 days',
  seven_day_opus: '7 days, Opus',
  seven_day_sonnet: '7 days, Sonnet',
  overage: 'extra usage',
}
