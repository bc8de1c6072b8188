import { posix } from 'node:path'
import { placeOf } from '../architecture/folderCycles'
import { isAbortListener, isGroupingSpread } from '../architecture/habits'
import { pathNamedBy } from '../architecture/importRules'
import { importsOf } from '../architecture/importScan'
import { parseSource, type SyntaxNode, walkSyntax } from '../architecture/syntax'

export type SourceFile = { readonly path: string; readonly source: string }

type Group = {
  readonly modules: number
  readonly lines: number
  readonly spreads: number
  readonly listeners: number
  /** `path  lines`, longest first. */
  readonly long: readonly string[]
  readonly short: readonly string[]
}

export type Figures = {
  readonly product: Group
  readonly tests: Group
  readonly asyncListeners: number
  /** `a ⇄ b` */
  readonly folderPairs: readonly string[]
  /** Functions of the product by their lines: `path:line  lines`, longest first. */
  readonly longFunctions: readonly string[]
  readonly over40: number
  /** Folders with more than 14 files: `path  files`. */
  readonly fullFolders: readonly string[]
  /** Exported types that several modules declare by one name. */
  readonly ambiguousTypes: readonly string[]
  /** Modules of at most 45 lines that one other module imports. */
  readonly smallWithOneUser: readonly string[]
}

const LONG = 200
const SHORT = 20
const LONG_FUNCTION = 100
const FULL_SCREEN = 40
const FULL_FOLDER = 14
const SMALL = 45

type Parsed = SourceFile & { readonly program: SyntaxNode; readonly lines: number }

/** @param files of the product and of the tests, with paths from the top of the project */
export function measureSources(files: readonly SourceFile[]): Figures {
  const parsed = files.map((file): Parsed => {
    const program = parseSource(file.path, file.source)
    return { ...file, program, lines: file.source.split('\n').length - 1 }
  })
  const product = parsed.filter(({ path }) => /^(core|handlers|local-runner)\/.*\.tsx?$/.test(path))
  const tests = parsed.filter(({ path }) => path.startsWith('tests/'))
  const inAsync = product.filter(({ path }) => path.startsWith('core/base/async/'))
  const functions = product.flatMap(functionsOf)
  return {
    product: measureGroup(product, (node) => isAbortListener(node), inAsync),
    tests: measureGroup(tests, () => false),
    asyncListeners: count(inAsync, isAbortListener),
    folderPairs: pairsOf(product),
    longFunctions: functions
      .filter(({ lines }) => lines > LONG_FUNCTION)
      .sort((a, b) => b.lines - a.lines)
      .map(({ place, lines }) => `${place}  ${lines}`),
    over40: functions.filter(({ lines }) => lines > FULL_SCREEN).length,
    fullFolders: fullFoldersOf(product),
    ambiguousTypes: ambiguousTypesOf(product),
    smallWithOneUser: smallWithOneUser(product),
  }
}

function measureGroup(
  files: readonly Parsed[],
  isListener: (node: SyntaxNode) => boolean,
  except: readonly Parsed[] = [],
): Group {
  const shown = ({ path, lines }: Parsed) => `${path}  ${lines}`
  const bySize = [...files].sort((a, b) => b.lines - a.lines)
  return {
    modules: files.filter(({ path }) => !isDeclaration(path)).length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    spreads: count(files, isGroupingSpread),
    listeners: count(
      files.filter((file) => !except.includes(file)),
      isListener,
    ),
    long: bySize.filter(({ lines }) => lines > LONG).map(shown),
    short: bySize.filter(({ path, lines }) => lines <= SHORT && !isDeclaration(path)).map(shown),
  }
}

/** Ambient declarations are no module: nothing imports them, and a wildcard can only be declared in a file of its own. */
function isDeclaration(path: string): boolean {
  return path.endsWith('.d.ts')
}

function count(
  files: readonly Parsed[],
  isMeant: (node: SyntaxNode, parent: SyntaxNode | undefined) => boolean,
): number {
  let found = 0
  for (const { program } of files)
    walkSyntax(program, (node, ancestors) => {
      if (isMeant(node, ancestors.at(-1))) found += 1
    })
  return found
}

const FUNCTION =
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ObjectMethod|ClassMethod|ClassPrivateMethod)$/

function functionsOf({ path, program }: Parsed): { readonly place: string; readonly lines: number }[] {
  const found: { place: string; lines: number }[] = []
  walkSyntax(program, ({ type, loc }) => {
    if (!FUNCTION.test(type)) return
    found.push({ place: `${path}:${loc.start.line}`, lines: loc.end.line - loc.start.line + 1 })
  })
  return found
}

function fullFoldersOf(files: readonly Parsed[]): string[] {
  const sizes = new Map<string, number>()
  for (const { path } of files) sizes.set(posix.dirname(path), (sizes.get(posix.dirname(path)) ?? 0) + 1)
  return [...sizes].filter(([, size]) => size > FULL_FOLDER).map(([folder, size]) => `${folder}  ${size}`)
}

function ambiguousTypesOf(files: readonly Parsed[]): string[] {
  const places = new Map<string, string[]>()
  for (const { path, source } of files) {
    for (const [, name = ''] of source.matchAll(/^export type (\w+)\b/gm)) {
      places.set(name, [...(places.get(name) ?? []), path])
    }
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}  ${paths.join(' ')}`)
}

function smallWithOneUser(files: readonly Parsed[]): string[] {
  const users = new Map<string, Set<string>>()
  for (const { path, program } of files) {
    for (const { specifier } of importsOf(program)) {
      const target = specifier && pathNamedBy(specifier, path)
      if (target) users.set(target, (users.get(target) ?? new Set()).add(path))
    }
  }
  const small = files.filter(({ path, lines }) => lines <= SMALL && !isDeclaration(path))
  return small.map(({ path }) => path).filter((path) => users.get(path.replace(/\.tsx?$/, ''))?.size === 1)
}

/** Folders of which each imports the other; a composer beside folders stands for itself. */
function pairsOf(files: readonly Parsed[]): string[] {
  const edges = new Set<string>()
  const known = new Set(files.map(({ path }) => path))
  for (const { path, program } of files)
    for (const { specifier } of importsOf(program)) {
      const target = specifier && pathNamedBy(specifier, path)
      if (!target || !known.has(`${target}.ts`)) continue
      const [from, to] = [placeOf(path), placeOf(`${target}.ts`)]
      if (from !== to) edges.add(`${from} ${to}`)
    }
  return [...edges].flatMap((edge) => {
    const [from = '', to = ''] = edge.split(' ')
    return from < to && edges.has(`${to} ${from}`) ? [`${from} ⇄ ${to}`] : []
  })
}
