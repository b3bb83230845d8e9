"""deploy/gke/monitoring: alerts fire when they should and not else, by promtool; the dashboard asks for what there is."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import manifests
import pytest
import yaml

FOLDER = manifests.DEPLOY / "monitoring"
PROMTOOL = Path(os.environ.get("CELLPOD_CLUSTER", "")) / "bin/promtool"
# What is counted elsewhere: agent-sandbox's controller (v0.5.6), kube-state-metrics, the kubelet.
ELSEWHERE = {"agent_sandbox_claim_creation_total", "agent_sandbox_claim_startup_latency_ms_bucket", "agent_sandboxes",
             "kube_pod_container_status_terminated_reason", "kube_resourcequota",
             "kubelet_volume_stats_available_bytes", "kubelet_volume_stats_capacity_bytes"}
CLAIM = 'agent_sandbox_claim_creation_total{launch_type="%s", warmpool_name="%s"}'
SLOW = 'agent_sandbox_claim_startup_latency_ms_bucket{sandbox_template="cellpod-python", le="%s"}'
WAITING = ('agent_sandboxes{owned_by="%s", ready_condition="false", expired="false", '
           'sandbox_template="cellpod-python"}')
QUOTA = 'kube_resourcequota{resourcequota="cellpod", namespace="a", resource="pods", type="%s"}'
VOLUME = 'kubelet_volume_stats_%s_bytes{persistentvolumeclaim="notebooks"}'

# alert: series with which it fires within the hour, and with which it does not.
CASES = {
    "CellpodPoolEmpty": ({CLAIM % ("cold", "cellpod"): "0+1x120"},
                         {CLAIM % ("warm", "cellpod"): "0+9x120", CLAIM % ("cold", "another"): "0+9x120"}),
    "CellpodSlowStarts": ({SLOW % "30000": "0+95x120", SLOW % "60000": "0+100x120", SLOW % "+Inf": "0+100x120"},
                          {SLOW % "30000": "0+100x120", SLOW % "60000": "0+100x120", SLOW % "+Inf": "0+100x120"}),
    "CellpodClaimsWait": ({WAITING % "SandboxClaim": "3x120"},
                          {WAITING % "SandboxClaim": "0x120", WAITING % "SandboxWarmPool": "3x120"}),
    "CellpodSandboxFailed": ({'cellpod_sandboxes{state="failed", pod="p"}': "1x120"},
                             {'cellpod_sandboxes{state="ready", pod="p"}': "1x120"}),
    "CellpodSandboxStuck": ({'cellpod_sandboxes{state="starting", pod="p"}': "1x120"},
                            {'cellpod_sandboxes{state="starting", pod="p"}': "0 1 0 1 0 1x0 0x114"}),
    "CellpodClaimedTwice": ({'cellpod_claims_total{pod="p"}': "2x120"},
                            {'cellpod_claims_total{pod="p"}': "1x120", 'cellpod_claims_total{pod="q"}': "1x120"}),
    "CellpodMemory": ({'cellpod_memory_bytes{pod="p"}': "4000000000x120"},
                      {'cellpod_memory_bytes{pod="p"}': "3000000000x120"}),
    "CellpodMemoryBrakes": ({'cellpod_memory_brakes_total{pod="p"}': "0+1x120"},
                            {'cellpod_memory_brakes_total{pod="p"}': "0x60 5x60"}),
    "CellpodWorkersKilled": ({'cellpod_worker_ends_total{pod="p", reason="signal"}': "0+1x120"},
                             {'cellpod_worker_ends_total{pod="p", reason="exit"}': "0+1x120",
                              'cellpod_worker_ends_total{pod="p", reason="signal"}': "0x60 3x60"}),
    "CellpodKilledForMemory": (
        {'kube_pod_container_status_terminated_reason{container="sandbox", reason="OOMKilled"}': "1x120"},
        {'kube_pod_container_status_terminated_reason{container="sandbox", reason="Error"}': "1x120"}),
    "CellpodQuota": ({QUOTA % "used": "58x120", QUOTA % "hard": "60x120"},
                     {QUOTA % "used": "50x120", QUOTA % "hard": "60x120"}),
    "CellpodNotebooksVolume": ({VOLUME % "available": "1x120", VOLUME % "capacity": "100x120"},
                               {VOLUME % "available": "50x120", VOLUME % "capacity": "100x120"}),
}


def alerts() -> list[dict]:
    [rules] = list(yaml.safe_load_all((FOLDER / "alerts.yaml").read_text()))
    return rules["spec"]["groups"]


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    """As Prometheus reads them."""
    path = tmp_path_factory.mktemp("rules") / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": alerts()}))
    return path


def promtool(*arguments) -> str:
    done = subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_rule_is_one_that_prometheus_takes(rules):
    assert f"{len(CASES)} rules found" in promtool("check", "rules", rules)


def test_every_alert_is_tested():
    assert {rule["alert"] for group in alerts() for rule in group["rules"]} == CASES.keys()


@pytest.mark.parametrize("fires", [True, False], ids=["fires", "is quiet"])
@pytest.mark.parametrize("alert", CASES)
def test_an_alert(rules, alert, fires, tmp_path):
    series = CASES[alert][0 if fires else 1]
    # What it says is not held here; that it says something is.
    expression = f'count(ALERTS{{alertname="{alert}", alertstate="firing"}}) > bool 0'
    test = {"rule_files": [str(rules)], "evaluation_interval": "30s", "tests": [{
        "interval": "30s", "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": expression, "eval_time": "55m",
                              "exp_samples": [{"labels": "{}", "value": 1}] if fires else []}]}]}
    path = tmp_path / "test.yaml"
    path.write_text(yaml.safe_dump(test))
    promtool("test", "rules", path)


def expressions() -> list[str]:
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_every_expression_of_the_dashboard_is_one_that_prometheus_takes(tmp_path):
    rows = [{"record": f"panel:{number}", "expr": text.replace("$__rate_interval", "5m")}
            for number, text in enumerate(expressions())]
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rows}]}))
    assert f"{len(rows)} rules found" in promtool("check", "rules", path)


def test_what_is_asked_for_is_counted():
    """By sandboxd, as its source names it, or by one of the others."""
    ours = set(re.findall(r'"(cellpod_\w+)"', (manifests.ROOT / "sandbox/api/metrics.c").read_text()))
    asked = [rule["expr"] for group in alerts() for rule in group["rules"]] + expressions()
    names = {name for text in asked for name in re.findall(r"\b(?:cellpod|agent|kube|kubelet)_\w+", text)}
    assert names <= ours | ELSEWHERE, names - ours - ELSEWHERE


def test_what_is_read_are_the_ports_that_there_are():
    """Of whatever namespace: sandboxes of base, and of each person."""
    pods, controller = yaml.safe_load_all((FOLDER / "scrape.yaml").read_text())
    template = yaml.safe_load((manifests.DEPLOY / "base/sandboxes/template.yaml").read_text())["spec"]["podTemplate"]
    assert pods["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    [container] = template["spec"]["containers"]
    assert [end["port"] for end in pods["spec"]["endpoints"]] == [port["name"] for port in container["ports"]]
    assert controller["spec"]["selector"] == {"matchLabels": {"app": "agent-sandbox-controller"}}
