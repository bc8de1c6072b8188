import { childOf, nameOf, type SyntaxNode, textOf, type Visit, walkSyntax } from './syntax'

export type Import = {
  /** As written. Undefined when it is computed: `import(name)`. */
  readonly specifier: string | undefined
  readonly line: number
}

/**
 * Every module that a TypeScript source names: `import … from`, `import type`, `import '…'`, `export … from`,
 * `import('…')` as a value and as a type, `require('…')`.
 */
export function importsOf(program: SyntaxNode): Import[] {
  const imports: Import[] = []
  walkSyntax(program, importVisit(imports))
  return imports
}

export function importVisit(imports: Import[]): Visit {
  return (node) => {
    const source = moduleNamedBy(node)
    if (!source) return
    const { line } = (source.module ?? node).loc.start
    imports.push({ specifier: textOf(source.module), line })
  }
}

function moduleNamedBy(node: SyntaxNode): { readonly module: SyntaxNode | undefined } | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'TSImportType':
    case 'ImportExpression':
      return { module: childOf(node, 'source') ?? childOf(node, 'argument') }
    case 'ExportNamedDeclaration': {
      const module = childOf(node, 'source')
      return module && { module }
    }
    case 'CallExpression': {
      const callee = childOf(node, 'callee')
      const isImport = callee?.type === 'Import' || nameOf(callee) === 'require'
      return isImport ? { module: firstArgument(node) } : undefined
    }
    default:
      return undefined
  }
}

function firstArgument(call: SyntaxNode): SyntaxNode | undefined {
  return Array.isArray(call.arguments) ? call.arguments[0] : undefined
}
