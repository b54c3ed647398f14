/** Questions to the running program, by the names that the bridge and the REST interface use. */
import { changeOfQuery, type Rpc, requireTold } from '@roundhouse/adapter-kit'
import { asList, asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import { type BackendConfiguration, CodedError } from '@roundhouse/backend-types'
import { commands } from './slash-commands'

interface Asked {
  rpc: Rpc
  live: { threadId: string } | undefined
  configure(change: BackendConfiguration): Promise<Array<keyof BackendConfiguration>>
}

export async function query(session: Asked, method: string, params: unknown): Promise<unknown> {
  const change = changeOfQuery(method, params)
  if (change) return requireTold(method, await session.configure(change))
  switch (method) {
    case 'supportedModels':
      return (await pagesOf(session.rpc, 'model/list')).map(modelOf)
    case 'supportedCommands':
      return [...commands]
    case 'accountInfo':
      return accountOf(asRecord(asRecord(await session.rpc.request('account/read', {})).account))
    case 'mcpServerStatus':
      return (await pagesOf(session.rpc, 'mcpServerStatus/list', { threadId: session.live?.threadId })).map(serverOf)
    default:
      throw new CodedError('UNSUPPORTED', undefined, { method })
  }
}

/** More would be a program that never ends its list. */
const MOST_PAGES = 10

async function pagesOf(rpc: Rpc, method: string, about: Json = {}): Promise<Json[]> {
  const found: Json[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = asRecord(await rpc.request(method, compact({ ...about, cursor })))
    found.push(...asList(answer.data).map(asRecord))
    cursor = asText(answer.nextCursor)
    if (cursor === undefined) break
  }
  return found
}

function modelOf({ model, displayName, description, supportedReasoningEfforts }: Json): Json {
  const efforts = asList(supportedReasoningEfforts).flatMap((one) => asText(asRecord(one).reasoningEffort) ?? [])
  return compact({
    value: model,
    displayName,
    description,
    supportedEffortLevels: efforts.length > 0 ? efforts : undefined,
  })
}

function serverOf({ name, tools, toolsError, runtimeStatus, serverInfo }: Json): Json {
  return compact({
    name,
    status: toolsError == null ? (asText(runtimeStatus) ?? 'pending') : 'failed',
    error: toolsError,
    serverInfo: serverInfo == null ? undefined : implementationOf(asRecord(serverInfo)),
    tools: Object.entries(asRecord(tools)).map(([tool, about]) =>
      compact({ name: tool, description: asRecord(about).description }),
    ),
  })
}

const implementationOf = ({ name, version }: Json): Json => compact({ name: asText(name), version: asText(version) })

const accountOf = ({ type, email, planType }: Json): Json =>
  compact({ email, subscriptionType: planType, tokenSource: type })
