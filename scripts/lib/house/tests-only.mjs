// Finds methods that only tests call. Such a method looks alive: its tests are green, but the product never calls it. The
// compiler resolves each name to its declaration, so another method of the same name hides nothing.
import path from 'node:path'
import { SyntaxKind as Kind } from 'typescript/unstable/ast'
import { API, SymbolFlags } from 'typescript/unstable/sync'

const declares = new Set([
  Kind.FunctionDeclaration,
  Kind.ClassDeclaration,
  Kind.MethodDeclaration,
  Kind.MethodSignature,
  Kind.PropertyDeclaration,
  Kind.PropertySignature,
  Kind.PropertyAssignment,
  Kind.VariableDeclaration,
])
const functions = new Set([Kind.FunctionDeclaration, Kind.MethodDeclaration])

/**
 * `projects` are folders with a tsconfig.json. `partOf` says what a file is: 'product', 'test', or null for neither.
 * Sorted, one entry for each declaration: its name, the file that declares it, and a test that calls it.
 */
export function findTestsOnly({ root, projects, partOf }) {
  const api = new API({ cwd: root })
  try {
    const configs = projects.map((folder) => path.join(root, folder, 'tsconfig.json'))
    const files = readFiles(api.updateSnapshot({ openProjects: configs }).getProjects(), partOf)
    const declared = new Set(files.flatMap((file) => [...file.declared.keys()]))
    const called = new Set(files.flatMap((file) => [...file.called].filter((name) => declared.has(name))))
    const inTests = usesOf(files, 'test', called)
    const inProduct = usesOf(files, 'product', called)
    const found = files.flatMap((file) => lonely(file, called, inTests, inProduct))
    const ports = portsOf(files, new Set(found.map(({ node }) => node.name.text)), inProduct)
    return found
      .filter((one) => !fillsPort(one, ports))
      .map(({ name, file, test }) => ({ name, file: relative(root, file), test: relative(root, test) }))
      .sort((a, b) => key(a).localeCompare(key(b)))
  } finally {
    api.close()
  }
}

const key = ({ file, name }) => `${file} ${name}`
const relative = (root, file) => path.relative(root, file).split(path.sep).join('/')
const ownNameOf = (node) => (node.name?.kind === Kind.Identifier ? node.name : undefined)

/** Each file once, by the first project that has it. */
function readFiles(projects, partOf) {
  const files = new Map()
  for (const project of projects) {
    for (const name of project.rootFiles) {
      const part = files.has(name) ? null : partOf(name)
      if (part !== null) files.set(name, readFile(project, name, part))
    }
  }
  return [...files.values()]
}

function readFile({ program, checker }, name, part) {
  const file = { name, part, checker, used: [], bound: [], called: new Set(), declared: new Map() }
  const visit = (node) => {
    if (node.kind === Kind.BindingElement && !node.propertyName && ownNameOf(node)) file.bound.push(node)
    if (part === 'product' && node.kind === Kind.Identifier && !isDeclaredBy(node.parent, node)) file.used.push(node)
    if (part === 'product' && declares.has(node.kind) && ownNameOf(node)) {
      const { text } = node.name
      file.declared.set(text, [...(file.declared.get(text) ?? []), node])
    }
    if (part === 'test' && node.kind === Kind.CallExpression) {
      const callee = node.expression.kind === Kind.Identifier ? node.expression : ownNameOf(node.expression)
      if (callee) file.used.push(callee)
    }
    node.forEachChild(visit)
  }
  program.getSourceFile(name).forEachChild(visit)
  file.called = new Set(part === 'test' ? file.used.map(({ text }) => text) : [])
  return file
}

const isDeclaredBy = (parent, name) => parent !== undefined && parent.name === name && declares.has(parent.kind)

/** By declaration: the file that uses it first, outside of the declaration itself. */
function usesOf(files, part, names) {
  const uses = new Map()
  for (const file of files.filter((one) => one.part === part)) {
    const used = file.used.filter(({ text }) => names.has(text))
    const symbols = used.length > 0 ? file.checker.getSymbolAtLocation(used) : []
    symbols.forEach((symbol, n) => {
      for (const declaration of declarationsOf(file.checker, symbol)) {
        if (!isInside(used[n], declaration)) addUse(uses, declaration, file)
      }
    })
    const own = new Set(symbols.flatMap((symbol) => (symbol?.declarations ?? []).map(idOf)))
    for (const element of file.bound.filter((one) => names.has(one.name.text))) {
      // A method that a test takes out of an object counts when it is called.
      if (part === 'test' && !own.has(idOf({ path: element.getSourceFile().path, index: element.index }))) continue
      const { parent, name } = element
      const type = file.checker.getTypeAtLocation(parent)
      const property = type && file.checker.getPropertyOfType(type, name.text)
      for (const declaration of property?.declarations ?? []) addUse(uses, declaration, file)
    }
  }
  return uses
}

function declarationsOf(checker, symbol) {
  if (!symbol) return []
  return (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol).declarations
}

/** A function that calls itself is not called by that. */
function isInside(node, { path: file, index }) {
  for (let at = node.parent; at; at = at.parent) {
    if (functions.has(at.kind) && at.index === index) return at.getSourceFile().path === file
  }
  return false
}

const idOf = ({ path: file, index }) => `${file}:${index}`

function addUse(uses, declaration, { name }) {
  const id = idOf(declaration)
  if (!uses.has(id)) uses.set(id, name)
}

function lonely({ name: file, checker, declared }, called, inTests, inProduct) {
  const nodes = [...declared].flatMap(([name, some]) => (called.has(name) ? some : []))
  if (nodes.length === 0) return []
  const symbols = checker.getSymbolAtLocation(nodes.map(({ name }) => name))
  return symbols.flatMap((symbol, n) => {
    const ids = (symbol?.declarations ?? []).map(idOf)
    const test = ids.map((id) => inTests.get(id)).find((one) => one !== undefined)
    if (test === undefined || ids.some((id) => inProduct.has(id))) return []
    return [{ node: nodes[n], checker, name: longName(nodes[n]), file, test }]
  })
}

/** By name: the interfaces by which the product uses a member of that name. One of a single member proves nothing. */
function portsOf(files, names, inProduct) {
  const ports = new Map()
  for (const { checker, declared } of files) {
    for (const [name, nodes] of declared) {
      const members = names.has(name) ? nodes.filter(({ parent }) => (parent.members?.length ?? 0) > 1) : []
      if (members.length === 0) continue
      const symbols = checker.getSymbolAtLocation(members.map((member) => member.name))
      const used = members.filter((_, n) => (symbols[n]?.declarations ?? []).some((one) => inProduct.has(idOf(one))))
      ports.set(name, [...(ports.get(name) ?? []), ...used.map((node) => ({ node: node.parent, checker }))])
    }
  }
  return ports
}

/** The product has the object under another type, which it fits. */
function fillsPort({ node, checker }, ports) {
  const own = typeOf(checker, node.parent)
  const there = (ports.get(node.name.text) ?? []).filter(
    (port) => port.checker === checker && port.node !== node.parent,
  )
  return own !== undefined && there.some((port) => fits(checker, own, typeOf(checker, port.node)))
}

const fits = (checker, own, port) => port !== undefined && checker.isTypeAssignableTo(own, port)

function typeOf(checker, owner) {
  if (owner.kind === Kind.TypeLiteral) return checker.getTypeFromTypeNode(owner)
  if (owner.kind === Kind.ObjectLiteralExpression) return checker.getTypeAtLocation(owner)
  const symbol = owner.members && owner.name ? checker.getSymbolAtLocation(owner.name) : undefined
  return symbol && checker.getDeclaredTypeOfSymbol(symbol)
}

/** `Core.tick` for a member, `isPending` for what stands alone. */
function longName({ name, parent }) {
  const owner = parent.name?.text ?? ''
  return owner === '' ? name.text : `${owner}.${name.text}`
}
