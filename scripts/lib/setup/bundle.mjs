// The shared settings of the hub's and the agent's bundles. All of them make a program start faster.
import path from 'node:path'

/** zod brings its messages in forty languages, 0.3 MB that every process would hold; these programs speak one. */
export const oneLanguage = {
  name: 'one-language',
  setup(build) {
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ path: asked, resolveDir }) => ({
      path: 'locales', // as written into the bundle, which names no folder of the machine that made it
      namespace: 'one-language',
      pluginData: { resolveDir: path.dirname(path.join(resolveDir, asked)) },
    }))
    build.onLoad({ filter: /.*/, namespace: 'one-language' }, ({ pluginData }) => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: pluginData.resolveDir,
    }))
  },
}

/**
 * Leaves these packages outside and loads them by `require`: for an import of CommonJS, Node.js first reads the whole
 * file for the names that it exports, 0.2 s for Prisma's runtime.
 * @param {RegExp} filter
 */
export const required = (filter) => ({
  name: 'required',
  setup(build) {
    build.onResolve({ filter }, ({ path: asked, kind }) =>
      kind === 'require-call' ? { path: asked, external: true } : { path: asked, namespace: 'required' },
    )
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path: asked }) => ({
      contents: `module.exports = require(${JSON.stringify(asked)})`,
    }))
  },
})

/**
 * A library whose functions all answer with promises, loaded at the first call of one of them.
 * @param {string} library
 * @param {string[]} functions those that are used
 */
export const loadedLate = (library, functions) => ({
  name: `late ${library}`,
  setup(build) {
    const namespace = `late ${library}`
    const only = new RegExp(`^${library}$`)
    build.onResolve({ filter: only }, ({ namespace: from, resolveDir }) =>
      from === namespace ? undefined : { path: library, namespace, pluginData: { resolveDir } },
    )
    build.onLoad({ filter: only, namespace }, ({ pluginData }) => ({
      contents: functions
        .map((name) => `export const ${name} = async (...args) => (await import('${library}')).${name}(...args)`)
        .join('\n'),
      resolveDir: pluginData.resolveDir,
    }))
  },
})

/** CommonJS inside of a bundle (socket.io's WebSocket) asks for Node's own modules by `require`. */
export const requireBanner = {
  js: "import { createRequire as roundhouseRequire } from 'node:module';const require = roundhouseRequire(import.meta.url);",
}
