/** The hub's configuration, read once from the environment and judged before anything starts. */
import { isIP } from 'node:net'
import path from 'node:path'
import { CodedError, firstFault } from '@roundhouse/backend-types'
import { z } from 'zod'
import { isSafeUrl, type OidcConfig, readOidcConfig } from './oidc-config'

const Environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4600),
  HOST: z.string().min(1).default('127.0.0.1'),
  ROUNDHOUSE_DATA_DIR: z.string().min(1).default('.roundhouse/hub'),
  ROUNDHOUSE_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  ROUNDHOUSE_LOCAL_ENROLLMENT: z.enum(['0', '1']).default('0'),
  ROUNDHOUSE_BEHIND_TLS_PROXY: z.enum(['0', '1']).default('0'),
  ROUNDHOUSE_TRUSTED_PROXIES: z.string().optional(),
  ROUNDHOUSE_OUTBOUND_NETWORKS: z.string().optional(),
  ROUNDHOUSE_BUDGET_USD: z.coerce.number().positive().optional(),
  ROUNDHOUSE_BUDGET_TOKENS: z.coerce.number().positive().optional(),
  ROUNDHOUSE_BUS_BYTES: z.coerce.number().int().min(1_048_576).optional(),
  ROUNDHOUSE_BUS_DAYS: z.coerce.number().min(1).max(3_650).optional(),
  ROUNDHOUSE_TELEGRAM_API: z
    .string()
    .refine(isSafeUrl, 'an https address, unless it is on this machine')
    .default('https://api.telegram.org'),
  ROUNDHOUSE_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

export interface HubConfig {
  port: number
  host: string
  loopback: boolean
  dataDir: string
  /** Absent: `http://localhost:<the port that was given>`. */
  publicUrl: string | undefined
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[]
  /** Addresses and networks that are not public, to which the hub may send what people ask it to send. */
  outboundNetworks: readonly string[]
  /** Makes an enrollment for an agent on this machine, and leaves it in the data folder. */
  localEnrollment: boolean
  logLevel: string
  /** What all workers of the bus may cost together before it warns. Absent: anything. */
  busBudget: { usd?: number | undefined; tokens?: number | undefined }
  /** What messages of the bus may take, and for how long they are kept. Absent: 8 GiB, 30 days. */
  busKeeps: { bytes?: number | undefined; days?: number | undefined }
  /** Absent: people sign in by password. */
  oidc: OidcConfig | null
  /** Root of Telegram's Bot API, without a slash at the end. */
  telegramApi: string
  /** `--dev`: pages from source, with hot reload. */
  dev: boolean
}

/** Throws `INVALID_ARGUMENT` with the variable's name, or `INSECURE_BIND`. */
export function readConfig(env: NodeJS.ProcessEnv, argv: readonly string[]): HubConfig {
  const parsed = Environment.safeParse(env)
  if (!parsed.success) {
    throw new CodedError('INVALID_ARGUMENT', firstFault(parsed.error, 'configuration').text)
  }
  const values = parsed.data
  const config: HubConfig = {
    port: values.PORT,
    host: values.HOST,
    loopback: isLoopback(values.HOST),
    dataDir: path.resolve(values.ROUNDHOUSE_DATA_DIR),
    publicUrl: values.ROUNDHOUSE_PUBLIC_URL?.replace(/(?<!\/)\/+$/, ''),
    trustedProxies: trustedProxies(values.ROUNDHOUSE_TRUSTED_PROXIES, values.ROUNDHOUSE_BEHIND_TLS_PROXY === '1'),
    outboundNetworks: listOf(values.ROUNDHOUSE_OUTBOUND_NETWORKS),
    localEnrollment: values.ROUNDHOUSE_LOCAL_ENROLLMENT === '1',
    logLevel: values.ROUNDHOUSE_LOG_LEVEL,
    busBudget: { usd: values.ROUNDHOUSE_BUDGET_USD, tokens: values.ROUNDHOUSE_BUDGET_TOKENS },
    busKeeps: { bytes: values.ROUNDHOUSE_BUS_BYTES, days: values.ROUNDHOUSE_BUS_DAYS },
    oidc: readOidcConfig(env),
    telegramApi: values.ROUNDHOUSE_TELEGRAM_API.replace(/(?<!\/)\/+$/, ''),
    dev: argv.includes('--dev'),
  }
  requireSafeBind(config, values.ROUNDHOUSE_BEHIND_TLS_PROXY === '1')
  return config
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** A declared proxy is on this machine, unless it is said where. */
function trustedProxies(named: string | undefined, behindProxy: boolean): string[] {
  if (named !== undefined && !behindProxy) {
    throw new CodedError('INVALID_ARGUMENT', 'ROUNDHOUSE_TRUSTED_PROXIES needs ROUNDHOUSE_BEHIND_TLS_PROXY=1.')
  }
  if (!behindProxy) return []
  return named === undefined ? ['127.0.0.0/8', '::1'] : listOf(named)
}

const listOf = (text = ''): string[] => text.split(',').flatMap((one) => one.trim() || [])

/** Beyond this machine only behind TLS: there is no flag that serves logins in the clear. */
function requireSafeBind(config: HubConfig, behindTlsProxy: boolean): void {
  if (config.loopback) return
  if (behindTlsProxy && config.publicUrl?.startsWith('https://')) return
  throw new CodedError(
    'INSECURE_BIND',
    `Refusing to listen on ${config.host}: put a TLS proxy in front, then set ROUNDHOUSE_PUBLIC_URL=https://... and ROUNDHOUSE_BEHIND_TLS_PROXY=1.`,
  )
}
