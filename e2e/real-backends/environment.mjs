/**
 * Private surroundings for one real backend: its own home, config folder and temporary folder, and an environment that is
 * written out in full, because a developer's own variables and settings change what these programs do.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withNewerNode } from './install.mjs'

/**
 * @typedef {object} Environment
 * @property {string} root everything below is in here
 * @property {string} workDir
 * @property {string} otherDir a second folder, outside of the first
 * @property {string} scratchDir
 * @property {Record<string, string>} env
 * @property {() => void} remove
 */

/**
 * @param {string} modelUrl a running `anthropic.mjs`
 * @returns {Environment}
 */
export function claudeEnvironment(modelUrl) {
  const place = makePlace('claude')
  const env = {
    ...place.env,
    CLAUDE_CONFIG_DIR: place.folder('claude-config'),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'scripted-model',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '2',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  }
  return { ...place.paths, env, remove: place.remove }
}

/**
 * @param {string} modelUrl a running `openai-responses.mjs`
 * @returns {Environment}
 */
export function codexEnvironment(modelUrl) {
  const place = makePlace('codex')
  const codexHome = place.folder('codex-home')
  writeFileSync(join(codexHome, 'config.toml'), codexConfig(modelUrl))
  const env = { ...place.env, CODEX_HOME: codexHome, SCRIPTED_MODEL_KEY: 'scripted-model' }
  return { ...place.paths, env, remove: place.remove }
}

/** @param {string} modelUrl */
function codexConfig(modelUrl) {
  return `model = "scripted-model"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "Scripted model"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"
request_max_retries = 2
stream_max_retries = 1
`
}

/**
 * @param {string} modelUrl a running `openai-chat.mjs`
 * @returns {Environment}
 */
export function opencodeEnvironment(modelUrl) {
  const place = makePlace('opencode')
  const config = join(place.folder('config'), 'opencode')
  mkdirSync(config)
  writeFileSync(join(config, 'opencode.json'), JSON.stringify(opencodeConfig(modelUrl)))
  const env = {
    ...place.env,
    XDG_CONFIG_HOME: join(config, '..'),
    XDG_DATA_HOME: place.folder('data'),
    XDG_STATE_HOME: place.folder('state'),
    XDG_CACHE_HOME: place.folder('cache'),
  }
  return { ...place.paths, env, remove: place.remove }
}

/** @param {string} modelUrl */
function opencodeConfig(modelUrl) {
  const modalities = { input: ['text', 'image'], output: ['text'] }
  const model = (/** @type {string} */ name) => ({
    name,
    attachment: true,
    modalities,
    limit: { context: 100_000, output: 8_000 },
  })
  return {
    model: 'scripted/scripted-model',
    small_model: 'scripted/scripted-model',
    autoupdate: false,
    share: 'disabled',
    enabled_providers: ['scripted'],
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'scripted-model' },
        models: { 'scripted-model': model('Scripted model'), 'other-model': model('Other model') },
      },
    },
  }
}

/**
 * @param {string} modelUrl a running `gemini.mjs`
 * @returns {Environment}
 */
export function geminiEnvironment(modelUrl) {
  const place = makePlace('gemini')
  const settings = join(place.env.HOME, '.gemini')
  mkdirSync(settings)
  const auth = { selectedType: 'gemini-api-key' }
  writeFileSync(
    join(settings, 'settings.json'),
    JSON.stringify({ security: { auth }, general: { disableAutoUpdate: true } }),
  )
  const env = { ...place.env, GEMINI_API_KEY: 'scripted-model', GOOGLE_GEMINI_BASE_URL: modelUrl }
  return { ...place.paths, env, remove: place.remove }
}

/**
 * @param {string} modelUrl a running `openai-chat.mjs`
 * @returns {Environment}
 */
export function qwenEnvironment(modelUrl) {
  const place = makePlace('qwen')
  const settings = join(place.env.HOME, '.qwen')
  mkdirSync(settings)
  const auth = { selectedType: 'openai' }
  const model = (/** @type {string} */ id) => ({ id, name: id, baseUrl: `${modelUrl}/v1`, envKey: 'OPENAI_API_KEY' })
  writeFileSync(
    join(settings, 'settings.json'),
    JSON.stringify({
      security: { auth },
      modelProviders: { openai: ['scripted-model', 'other-model'].map(model) },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    }),
  )
  const env = {
    ...place.env,
    OPENAI_API_KEY: 'scripted-model',
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: 'scripted-model',
  }
  return { ...place.paths, env, remove: place.remove }
}

/**
 * With the newer Node.js that it needs, and with an owner's configuration that lets everything run.
 * @param {string} modelUrl a running `openai-chat.mjs`
 * @returns {Environment}
 */
export function openclawEnvironment(modelUrl) {
  const place = makePlace('openclaw')
  const config = join(place.env.HOME, '.openclaw')
  mkdirSync(config)
  writeFileSync(join(config, 'openclaw.json'), JSON.stringify(openclawConfig(modelUrl)))
  const env = { ...place.env, PATH: withNewerNode(place.env.PATH) }
  return { ...place.paths, env, remove: place.remove }
}

/** @param {string} modelUrl */
function openclawConfig(modelUrl) {
  const model = {
    id: 'scripted-model',
    name: 'Scripted model',
    reasoning: false,
    input: ['text', 'image'],
    contextWindow: 100_000,
    maxTokens: 8_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  }
  const scripted = { baseUrl: `${modelUrl}/v1`, apiKey: 'scripted-model', api: 'openai-completions', models: [model] }
  return {
    models: { mode: 'replace', providers: { scripted } },
    agents: { defaults: { model: { primary: 'scripted/scripted-model' } } },
    tools: { exec: { mode: 'full' } },
  }
}

/** @param {string} name */
function makePlace(name) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `roundhouse-${name}-`)))
  const folder = (/** @type {string} */ child) => {
    mkdirSync(join(root, child))
    return join(root, child)
  }
  const paths = { root, workDir: folder('work'), otherDir: folder('other'), scratchDir: folder('scratch') }
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder('home'),
    TMPDIR: folder('tmp'),
    LANG: 'C.UTF-8',
    // Windows programs do not start without it.
    ...(process.env.SystemRoot ? { SystemRoot: process.env.SystemRoot } : {}),
  }
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  return { paths, folder, env, remove }
}
