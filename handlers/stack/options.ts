import { join, type Outputs, type Resources, type StackSettings } from './settings'

/** What a stage may have beside the service itself; without its parameter nothing of it is in the template. */

export function optionResources(settings: StackSettings): Resources {
  return { ...budget(settings), ...firewall(settings), ...domainName(settings) }
}

export function optionOutputs({ domain }: StackSettings): Outputs {
  if (domain === 'none') return {}
  const Description = `Name of AWS to which ${domain} has to point`
  return { DomainTarget: { Description, Value: { 'Fn::GetAtt': ['ApiDomain', 'RegionalDomainName'] } } }
}

/** Of the whole account: costs can be told apart by tags only once the account has activated those. */
function budget({ monthlyBudget, alarmEmail, service, stage }: StackSettings): Resources {
  if (monthlyBudget === 'off') return {}
  const notify = (NotificationType: string, Threshold: number) => ({
    Notification: { NotificationType, ComparisonOperator: 'GREATER_THAN', Threshold },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: alarmEmail }],
  })
  const Budget = {
    BudgetName: `${service}-${stage}`,
    BudgetType: 'COST',
    TimeUnit: 'MONTHLY',
    BudgetLimit: { Amount: Number(monthlyBudget), Unit: 'USD' },
  }
  const NotificationsWithSubscribers = [notify('ACTUAL', 80), notify('FORECASTED', 100)]
  return {
    MonthlyBudget: { Type: 'AWS::Budgets::Budget', Properties: { Budget, NotificationsWithSubscribers } },
  }
}

function firewall({ waf }: StackSettings): Resources {
  if (waf === 'none') return {}
  const gateway = ['arn:', { Ref: 'AWS::Partition' }, ':apigateway:', { Ref: 'AWS::Region' }]
  const path = ['::/restapis/', { Ref: 'ApiGatewayRestApi' }, '/stages/', { Ref: 'GatewayStage' }]
  const Properties = { ResourceArn: join(...gateway, ...path), WebACLArn: waf }
  return { WebAclOfStage: { Type: 'AWS::WAFv2::WebACLAssociation', Properties } }
}

function domainName({ domain, certificate }: StackSettings): Resources {
  if (domain === 'none') return {}
  return {
    ApiDomain: {
      Type: 'AWS::ApiGateway::DomainName',
      Properties: {
        DomainName: domain,
        RegionalCertificateArn: certificate,
        EndpointConfiguration: { Types: ['REGIONAL'] },
        SecurityPolicy: 'TLS_1_2',
      },
    },
    ApiDomainMapping: {
      Type: 'AWS::ApiGateway::BasePathMapping',
      Properties: {
        DomainName: { Ref: 'ApiDomain' },
        RestApiId: { Ref: 'ApiGatewayRestApi' },
        Stage: { Ref: 'GatewayStage' },
      },
    },
  }
}
