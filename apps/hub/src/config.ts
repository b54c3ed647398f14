/** The hub's configuration, read once from the environment and judged before anything starts. */
import { isIP } from 'node:net'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { z } from 'zod'

const Environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4600),
  HOST: z.string().min(1).default('127.0.0.1'),
  ROUNDHOUSE_DATA_DIR: z.string().min(1).default('.roundhouse/hub'),
  ROUNDHOUSE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  ROUNDHOUSE_LOCAL_ENROLLMENT: z.enum(['0', '1']).default('0'),
  ROUNDHOUSE_BEHIND_TLS_PROXY: z.enum(['0', '1']).default('0'),
})

export interface HubConfig {
  port: number
  host: string
  loopback: boolean
  dataDir: string
  /** Absent: `http://localhost:<the port that was given>`. */
  publicUrl: string | undefined
  localEnrollment: boolean
  dev: boolean
}

export function readConfig(env: NodeJS.ProcessEnv, argv: readonly string[]): HubConfig {
  const parsed = Environment.safeParse(env)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new CodedError(
      'INVALID_ARGUMENT',
      `${issue?.path.join('.') ?? 'configuration'}: ${issue?.message ?? 'invalid'}`,
    )
  }
  const values = parsed.data
  const config: HubConfig = {
    port: values.PORT,
    host: values.HOST,
    loopback: isLoopback(values.HOST),
    dataDir: path.resolve(values.ROUNDHOUSE_DATA_DIR),
    publicUrl: values.ROUNDHOUSE_PUBLIC_URL?.replace(/\/+$/, ''),
    localEnrollment: values.ROUNDHOUSE_LOCAL_ENROLLMENT === '1',
    dev: argv.includes('--dev'),
  }
  requireSafeBind(config, values.ROUNDHOUSE_BEHIND_TLS_PROXY === '1')
  return config
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Beyond this machine only behind TLS: there is no flag that serves logins in the clear. */
function requireSafeBind(config: HubConfig, behindTlsProxy: boolean): void {
  if (config.loopback) return
  if (behindTlsProxy && config.publicUrl?.startsWith('https://')) return
  throw new CodedError(
    'INSECURE_BIND',
    `Refusing to listen on ${config.host}: put a TLS proxy in front, then set ROUNDHOUSE_PUBLIC_URL=https://... and ROUNDHOUSE_BEHIND_TLS_PROXY=1.`,
  )
}
