"""Whether values are valid: a function for each part of the schema.

Written by `make generate` from dsgen/schema/values.json and kubernetes.json; changes are lost.
"""

import re


def anything(value):
    return True


def nothing(value):
    return False


def is_object(value):
    return isinstance(value, dict)


def is_array(value):
    return isinstance(value, list)


def is_string(value):
    return isinstance(value, str)


def is_boolean(value):
    return isinstance(value, bool)


def is_null(value):
    return value is None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value):
    """As in Draft 7: 1.0 is an integer, true is not."""
    return value.is_integer() if isinstance(value, float) else is_number(value)


def matches(pattern, text):
    return re.fullmatch(pattern, text, re.ASCII) is not None


def fields(keys, others, value):
    """Whether each value is accepted by the function of its key, or by `others`."""
    return all(keys.get(key, others)(part) for key, part in value.items())


def is_name(value):
    return (
        is_string(value)
        and matches('^([a-z]([-a-z0-9]{0,61}[a-z0-9])?)?$', value)
    )


def is_namespace(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$', value)
    )


def is_run_id(value):
    return (
        (is_string(value) or is_integer(value))
        and (not is_string(value) or matches('^[a-z0-9]{1,20}$', value))
        and (not is_number(value) or not value < 0)
        and (not is_number(value) or not value > 9007199254740991)
    )


def is_run(value):
    return (
        is_object(value)
        and fields(KEYS_run, nothing, value)
    )


def is_image_repository(value):
    return (
        is_string(value)
        and matches('^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*)?$', value)
    )


def is_image_tag(value):
    return (
        is_string(value)
        and matches('^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$', value)
    )


def is_image_digest(value):
    return (
        is_string(value)
        and matches('^(sha256:[0-9a-f]{64})?$', value)
    )


def is_image_pullPolicy(value):
    return (
        is_string(value)
        and value in ['IfNotPresent', 'Always', 'Never']
    )


def is_image_pullSecrets(value):
    return (
        is_array(value)
        and all(map(is_pullSecret, value))
    )


def is_image(value):
    return (
        is_object(value)
        and fields(KEYS_image, nothing, value)
    )


def is_code_git_repository(value):
    return (
        is_string(value)
        and matches('^([A-Za-z0-9/][!-~]*)?$', value)
    )


def is_code_git_revision(value):
    return (
        is_string(value)
        and matches('^([A-Za-z0-9_.][!-~]*)?$', value)
    )


def is_code_git_secretName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_code_git_image(value):
    return (
        is_string(value)
        and matches('^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$', value)
    )


def is_code_git(value):
    return (
        is_object(value)
        and fields(KEYS_code_git, nothing, value)
    )


def is_code_mountPath(value):
    return (
        is_string(value)
        and matches('^(/([^/:.\\n\\x85]|[.]+[^/:.\\n\\x85])[^/:\\n\\x85]*)+$', value)
    )


def is_code(value):
    return (
        is_object(value)
        and fields(KEYS_code, nothing, value)
    )


def is_labels(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_labelValue, value.values()))
    )


def is_annotations(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_string, value.values()))
    )


def is_workers_replicas(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 100000
    )


def is_workers_slots(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 1024
    )


def is_workers_accelerator_resource(value):
    return (
        is_string(value)
        and matches('^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$', value)
    )


def is_workers_accelerator_count(value):
    return (
        (is_integer(value) or is_null(value))
        and (not is_number(value) or not value < 0)
        and (not is_number(value) or not value > 1024)
    )


def is_workers_accelerator(value):
    return (
        is_object(value)
        and fields(KEYS_workers_accelerator, nothing, value)
    )


def is_workers_sharedMemory(value):
    return (
        is_string(value)
        and matches('^(unlimited|[0-9]{1,18}([.][0-9]{1,18})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)?$', value)
    )


def is_workers_spread(value):
    return (
        is_string(value)
        and value in ['none', 'preferred', 'required']
    )


def is_workers_serviceAccountName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_workers_resources_requests(value):
    return (
        is_object(value)
        and all(map(is_resourceName, value))
        and all(map(is_request, value.values()))
    )


def is_workers_resources_limits(value):
    return (
        is_object(value)
        and all(map(is_resourceName, value))
        and all(map(is_quantity, value.values()))
    )


def is_workers_resources_claims(value):
    return (
        is_array(value)
        and all(map(is_ResourceClaim, value))
    )


def is_workers_resources(value):
    return (
        is_object(value)
        and fields(KEYS_workers_resources, nothing, value)
    )


def is_workers_schedulerName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_workers_excludeNodes_item(value):
    return (
        is_string(value)
        and matches('^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$', value)
    )


def is_workers_excludeNodes(value):
    return (
        is_array(value)
        and all(map(is_workers_excludeNodes_item, value))
    )


def is_workers_tolerations(value):
    return (
        is_array(value)
        and all(map(is_Toleration, value))
    )


def is_workers_nodeSelector(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_labelValue, value.values()))
    )


def is_workers_affinity(value):
    return (
        is_object(value)
        and is_Affinity(value)
    )


def is_workers_topologySpreadConstraints(value):
    return (
        is_array(value)
        and all(map(is_TopologySpreadConstraint, value))
    )


def is_workers_priorityClassName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_workers_runtimeClassName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_workers_podLabels(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_labelValue, value.values()))
    )


def is_workers_podAnnotations(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_string, value.values()))
    )


def is_workers_initContainers(value):
    return (
        is_array(value)
        and all(map(is_container, value))
    )


def is_workers_sidecars(value):
    return (
        is_array(value)
        and all(map(is_container, value))
    )


def is_workers_securityContext(value):
    return (
        is_object(value)
        and is_SecurityContext(value)
    )


def is_workers_extraPodSpec(value):
    return (
        is_object(value)
        and is_PodSpec(value)
    )


def is_workers_extraContainerSpec(value):
    return (
        is_object(value)
        and is_Container(value)
    )


def is_workers(value):
    return (
        is_object(value)
        and fields(KEYS_workers, nothing, value)
    )


def is_launcher_image(value):
    return (
        is_string(value)
        and matches('^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$', value)
    )


def is_launcher_env_name(value):
    return (
        is_string(value)
        and matches('^[A-Za-z_][A-Za-z0-9_]*$', value)
    )


def is_launcher_env(value):
    return (
        is_object(value)
        and all(map(is_launcher_env_name, value))
        and all(map(is_envValue, value.values()))
    )


def is_launcher_resources_requests(value):
    return (
        is_object(value)
        and all(map(is_resourceName, value))
        and all(map(is_request, value.values()))
    )


def is_launcher_resources_limits(value):
    return (
        is_object(value)
        and all(map(is_resourceName, value))
        and all(map(is_quantity, value.values()))
    )


def is_launcher_resources_claims(value):
    return (
        is_array(value)
        and all(map(is_ResourceClaim, value))
    )


def is_launcher_resources(value):
    return (
        is_object(value)
        and fields(KEYS_launcher_resources, nothing, value)
    )


def is_launcher_schedulerName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_launcher_tolerations(value):
    return (
        is_array(value)
        and all(map(is_Toleration, value))
    )


def is_launcher_nodeSelector(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_labelValue, value.values()))
    )


def is_launcher_affinity(value):
    return (
        is_object(value)
        and is_Affinity(value)
    )


def is_launcher_topologySpreadConstraints(value):
    return (
        is_array(value)
        and all(map(is_TopologySpreadConstraint, value))
    )


def is_launcher_priorityClassName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_launcher_runtimeClassName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_launcher_podLabels(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_labelValue, value.values()))
    )


def is_launcher_podAnnotations(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_string, value.values()))
    )


def is_launcher_initContainers(value):
    return (
        is_array(value)
        and all(map(is_container, value))
    )


def is_launcher_sidecars(value):
    return (
        is_array(value)
        and all(map(is_container, value))
    )


def is_launcher_securityContext(value):
    return (
        is_object(value)
        and is_SecurityContext(value)
    )


def is_launcher_extraPodSpec(value):
    return (
        is_object(value)
        and is_PodSpec(value)
    )


def is_launcher_extraContainerSpec(value):
    return (
        is_object(value)
        and is_Container(value)
    )


def is_launcher(value):
    return (
        is_object(value)
        and fields(KEYS_launcher, nothing, value)
    )


def is_training_exec(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_training_args(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_training_pythonCommand(value):
    return (
        is_string(value)
        and len(value) >= 1
    )


def is_training_workingDir(value):
    return (
        is_string(value)
        and matches('^(/[^\\n\\x85]*)?$', value)
    )


def is_training_env_name(value):
    return (
        is_string(value)
        and matches('^[A-Za-z_][A-Za-z0-9_]*$', value)
    )


def is_training_env(value):
    return (
        is_object(value)
        and all(map(is_training_env_name, value))
        and all(map(is_envValue, value.values()))
    )


def is_training_envFrom(value):
    return (
        is_array(value)
        and all(map(is_EnvFromSource, value))
    )


def is_training_files_name(value):
    return (
        is_string(value)
        and matches('^[.]?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,250}$', value)
    )


def is_training_files(value):
    return (
        is_object(value)
        and all(map(is_training_files_name, value))
        and all(map(is_string, value.values()))
    )


def is_training_rankLogs(value):
    return (
        is_string(value)
        and matches('^(/[^\\n\\x85]*)?$', value)
    )


def is_training_deepspeed_config(value):
    return (
        is_object(value)
        and is_withoutNull(value)
    )


def is_training_deepspeed_version(value):
    return (
        is_string(value)
        and matches('^([0-9]{1,5}[.][0-9]{1,5}([.][0-9]{1,5})?)?$', value)
    )


def is_training_deepspeed_args(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_training_deepspeed_autotuning(value):
    return (
        is_string(value)
        and value in ['none', 'tune', 'run']
    )


def is_training_deepspeed(value):
    return (
        is_object(value)
        and fields(KEYS_training_deepspeed, nothing, value)
    )


def is_training(value):
    return (
        is_object(value)
        and fields(KEYS_training, nothing, value)
    )


def is_launch_method(value):
    return (
        is_string(value)
        and value in ['pdsh', 'openmpi', 'torchrun', 'deepspeed-no-ssh', 'worker-command', 'launcher-command']
    )


def is_launch_command(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_launch_mpirunArgs(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_launch_masterPort(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 65535
    )


def is_launch_preflight_spares(value):
    return (
        is_integer(value)
        and not value < 0
        and not value > 1000
    )


def is_launch_preflight(value):
    return (
        is_object(value)
        and fields(KEYS_launch_preflight, nothing, value)
    )


def is_launch(value):
    return (
        is_object(value)
        and fields(KEYS_launch, nothing, value)
    )


def is_lifecycle_maxRestarts(value):
    return (
        is_integer(value)
        and not value < 0
        and not value > 1000
    )


def is_lifecycle_restartExitCodes_item(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 255
    )


def is_lifecycle_restartExitCodes(value):
    return (
        is_array(value)
        and all(map(is_lifecycle_restartExitCodes_item, value))
    )


def is_lifecycle_restartDelaySeconds(value):
    return (
        is_integer(value)
        and not value < 0
        and not value > 2592000
    )


def is_lifecycle_startTimeoutSeconds(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 2592000
    )


def is_lifecycle_activeDeadlineSeconds(value):
    return (
        is_integer(value)
        and not value < 0
        and not value > 315360000
    )


def is_lifecycle_hangTimeoutSeconds(value):
    return (
        is_integer(value)
        and not value < 0
        and not value > 2592000
    )


def is_lifecycle_progress_pattern(value):
    return (
        is_string(value)
        and matches('^(.*[(][?]P<step>.*)?$', value)
    )


def is_lifecycle_progress_checkpointTimeoutSeconds(value):
    return (
        is_integer(value)
        and not value < 0
        and not value > 2592000
    )


def is_lifecycle_progress(value):
    return (
        is_object(value)
        and fields(KEYS_lifecycle_progress, nothing, value)
    )


def is_lifecycle_orphanTimeoutSeconds(value):
    return (
        is_integer(value)
        and not value < 30
        and not value > 2592000
    )


def is_lifecycle_terminationGracePeriodSeconds(value):
    return (
        is_integer(value)
        and not value < 30
        and not value > 86400
    )


def is_lifecycle_workerReplacements(value):
    return (
        is_integer(value)
        and not value < 0
        and not value > 1000
    )


def is_lifecycle_keepWorkers(value):
    return (
        is_string(value)
        and value in ['none', 'failed', 'always']
    )


def is_lifecycle_ttlSecondsAfterFinished(value):
    return (
        (is_integer(value) or is_null(value))
        and (not is_number(value) or not value < 0)
        and (not is_number(value) or not value > 2147483647)
    )


def is_lifecycle_suspend(value):
    return (is_boolean(value) or is_null(value))


def is_lifecycle_debug_command(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_lifecycle_debug(value):
    return (
        is_object(value)
        and fields(KEYS_lifecycle_debug, nothing, value)
    )


def is_lifecycle(value):
    return (
        is_object(value)
        and fields(KEYS_lifecycle, nothing, value)
    )


def is_storage_name(value):
    return (
        is_string(value)
        and matches('^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$', value)
    )


def is_storage_other_mountPath(value):
    return (
        is_string(value)
        and matches('^(/([^/:.\\n\\x85]|[.]+[^/:.\\n\\x85])[^/:\\n\\x85]*)*$', value)
    )


def is_storage_other_subPath(value):
    return (
        is_string(value)
        and matches('^([^/\\n\\x85][^\\n\\x85]*)?$', value)
    )


def is_storage_other_mountIn(value):
    return (
        is_string(value)
        and value in ['auto', 'both', 'workers', 'launcher']
    )


def is_storage_other_create_size(value):
    return (
        (is_string(value) or is_number(value))
        and is_quantity(value)
    )


def is_storage_other_create_accessModes_item(value):
    return (
        is_string(value)
        and value in ['ReadWriteMany', 'ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteOncePod']
    )


def is_storage_other_create_accessModes(value):
    return (
        is_array(value)
        and len(value) >= 1
        and all(map(is_storage_other_create_accessModes_item, value))
    )


def is_storage_other_create_storageClass(value):
    return (
        (is_string(value) or is_null(value))
        and (not is_string(value) or matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value))
    )


def is_storage_other_create_persistentVolume(value):
    return (
        is_object(value)
        and is_persistentVolume(value)
    )


def is_storage_other_create(value):
    return (
        is_object(value)
        and fields(KEYS_storage_other_create, nothing, value)
    )


def is_storage_other_existingClaim(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_storage_other_nfs(value):
    return (
        is_object(value)
        and is_NFSVolumeSource(value)
    )


def is_storage_other_hostPath(value):
    return (
        is_object(value)
        and is_HostPathVolumeSource(value)
    )


def is_storage_other_emptyDir(value):
    return (
        is_object(value)
        and is_EmptyDirVolumeSource(value)
    )


def is_storage_other_ephemeral(value):
    return (
        is_object(value)
        and is_EphemeralVolumeSource(value)
    )


def is_storage_other_csi(value):
    return (
        is_object(value)
        and is_CSIVolumeSource(value)
    )


def is_storage_other_configMap(value):
    return (
        is_object(value)
        and is_ConfigMapVolumeSource(value)
    )


def is_storage_other_secret(value):
    return (
        is_object(value)
        and is_SecretVolumeSource(value)
    )


def is_storage_other_projected(value):
    return (
        is_object(value)
        and is_ProjectedVolumeSource(value)
    )


def is_storage_other(value):
    return (
        is_object(value)
        and fields(KEYS_storage_other, nothing, value)
    )


def is_storage(value):
    return (
        is_object(value)
        and all(map(is_storage_name, value))
        and all(map(is_storage_other, value.values()))
    )


def is_ssh_secret_mode(value):
    return (
        is_string(value)
        and value in ['cluster', 'existing']
    )


def is_ssh_secret_name(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_ssh_secret(value):
    return (
        is_object(value)
        and fields(KEYS_ssh_secret, nothing, value)
    )


def is_ssh_port(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 65535
    )


def is_ssh_user(value):
    return (
        is_string(value)
        and matches('^([A-Za-z_][A-Za-z0-9_.-]{0,63})?$', value)
    )


def is_ssh_passwdEntry(value):
    return (
        is_string(value)
        and value in ['auto', 'none']
    )


def is_ssh(value):
    return (
        is_object(value)
        and fields(KEYS_ssh, nothing, value)
    )


def is_status_image(value):
    return (
        is_string(value)
        and matches('^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$', value)
    )


def is_status_intervalSeconds(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 3600
    )


def is_status_history(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 200
    )


def is_status_webhook_url(value):
    return (
        is_string(value)
        and matches('^([Hh][Tt][Tt][Pp][Ss]?://[!-~]+)?$', value)
    )


def is_status_webhook_secretName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_status_webhook(value):
    return (
        is_object(value)
        and fields(KEYS_status_webhook, nothing, value)
    )


def is_status(value):
    return (
        is_object(value)
        and fields(KEYS_status, nothing, value)
    )


def is_security_podSecurityLevel(value):
    return (
        is_string(value)
        and value in ['baseline', 'privileged', 'restricted']
    )


def is_security_podSecurityContext(value):
    return (
        is_object(value)
        and is_PodSecurityContext(value)
    )


def is_security_securityContext(value):
    return (
        is_object(value)
        and is_SecurityContext(value)
    )


def is_security(value):
    return (
        is_object(value)
        and fields(KEYS_security, nothing, value)
    )


def is_rbac(value):
    return (
        is_object(value)
        and fields(KEYS_rbac, nothing, value)
    )


def is_serviceAccount_name(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?$', value)
    )


def is_serviceAccount_annotations(value):
    return (
        is_object(value)
        and all(map(is_labelKey, value))
        and all(map(is_string, value.values()))
    )


def is_serviceAccount(value):
    return (
        is_object(value)
        and fields(KEYS_serviceAccount, nothing, value)
    )


def is_network_socketInterface(value):
    return (
        is_string(value)
        and matches('^([=^]{0,2}[A-Za-z0-9_.:@-]+(,[A-Za-z0-9_.:@-]+)*)?$', value)
    )


def is_network_rdma_resources(value):
    return (
        is_object(value)
        and all(map(is_resourceName, value))
        and all(map(is_count, value.values()))
    )


def is_network_rdma_ipcLock(value):
    return (
        is_string(value)
        and value in ['auto', 'add', 'omit']
    )


def is_network_rdma_networks(value):
    return (
        is_array(value)
        and all(map(is_networkName, value))
    )


def is_network_rdma(value):
    return (
        is_object(value)
        and fields(KEYS_network_rdma, nothing, value)
    )


def is_network(value):
    return (
        is_object(value)
        and fields(KEYS_network, nothing, value)
    )


def is_scheduling_gang(value):
    return (
        is_string(value)
        and value in ['none', 'volcano', 'coscheduling']
    )


def is_scheduling_queue(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?)?$', value)
    )


def is_scheduling_launcherQueue(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?)?$', value)
    )


def is_scheduling_priorityClass(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?)?$', value)
    )


def is_scheduling_topology_required(value):
    return (
        is_string(value)
        and matches('^(([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$', value)
    )


def is_scheduling_topology_preferred(value):
    return (
        is_string(value)
        and matches('^(([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$', value)
    )


def is_scheduling_topology(value):
    return (
        is_object(value)
        and fields(KEYS_scheduling_topology, nothing, value)
    )


def is_scheduling(value):
    return (
        is_object(value)
        and fields(KEYS_scheduling, nothing, value)
    )


def is_monitoring_tensorboard_image(value):
    return (
        is_string(value)
        and matches('^(([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?)?$', value)
    )


def is_monitoring_tensorboard_port(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 65535
    )


def is_monitoring_tensorboard_resources_requests(value):
    return (
        is_object(value)
        and all(map(is_resourceName, value))
        and all(map(is_request, value.values()))
    )


def is_monitoring_tensorboard_resources_limits(value):
    return (
        is_object(value)
        and all(map(is_resourceName, value))
        and all(map(is_quantity, value.values()))
    )


def is_monitoring_tensorboard_resources_claims(value):
    return (
        is_array(value)
        and all(map(is_ResourceClaim, value))
    )


def is_monitoring_tensorboard_resources(value):
    return (
        is_object(value)
        and fields(KEYS_monitoring_tensorboard_resources, nothing, value)
    )


def is_monitoring_tensorboard(value):
    return (
        is_object(value)
        and fields(KEYS_monitoring_tensorboard, nothing, value)
    )


def is_monitoring_podMonitor_port(value):
    return (
        is_integer(value)
        and not value < 1
        and not value > 65535
    )


def is_monitoring_podMonitor_path(value):
    return (
        is_string(value)
        and matches('^/[!-~]*$', value)
    )


def is_monitoring_podMonitor_scrapedBy_app(value):
    return (
        is_string(value)
        and matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$', value)
    )


def is_monitoring_podMonitor_scrapedBy_namespace(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$', value)
    )


def is_monitoring_podMonitor_scrapedBy(value):
    return (
        is_object(value)
        and fields(KEYS_monitoring_podMonitor_scrapedBy, nothing, value)
    )


def is_monitoring_podMonitor(value):
    return (
        is_object(value)
        and fields(KEYS_monitoring_podMonitor, nothing, value)
    )


def is_monitoring(value):
    return (
        is_object(value)
        and fields(KEYS_monitoring, nothing, value)
    )


def is_valid(value):
    return (
        is_object(value)
        and fields(KEYS_valid, nothing, value)
    )


def is_count(value):
    return (
        (is_string(value) or is_integer(value))
        and (not is_string(value) or matches('^[0-9]{1,15}$', value))
        and (not is_number(value) or not value < 0)
        and (not is_number(value) or not value > 999999999999999)
    )


def is_networkName(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/)?[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?(@[A-Za-z0-9_.-]{1,15})?$', value)
    )


def is_quantity(value):
    return (
        (is_string(value) or is_number(value))
        and (not is_string(value) or matches('^[0-9]{1,18}([.][0-9]{1,18})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$', value))
        and (not is_number(value) or not value < 0)
    )


def is_request(value):
    return (
        (is_string(value) or is_number(value))
        and (not is_string(value) or matches('^(auto|[0-9]+([.][0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?)$', value))
        and (not is_number(value) or not value < 0)
    )


def is_labelKey(value):
    return (
        is_string(value)
        and matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$', value)
    )


def is_labelValue(value):
    return (
        is_string(value)
        and matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$', value)
    )


def is_resourceName(value):
    return (
        is_string(value)
        and matches('^(cpu|memory|ephemeral-storage|hugepages-[0-9]+[KMG]i|[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)$', value)
    )


def is_withoutNull(value):
    return (
        (is_string(value) or is_number(value) or is_boolean(value) or is_object(value) or is_array(value))
        and (not is_object(value) or all(map(is_withoutNull, value.values())))
        and (not is_array(value) or all(map(is_withoutNull, value)))
    )


def is_pullSecret_name(value):
    return (
        is_string(value)
        and matches('^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$', value)
    )


def is_pullSecret(value):
    return (
        is_object(value)
        and fields(KEYS_pullSecret, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_envValue(value):
    return (
        (is_string(value) or is_object(value))
        and (not is_object(value) or fields(KEYS_envValue, nothing, value))
        and (not is_object(value) or all(key in value for key in ['valueFrom']))
    )


def is_persistentVolume_mountOptions(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_persistentVolume(value):
    return (
        is_object(value)
        and fields(KEYS_persistentVolume, nothing, value)
    )


def is_container(value):
    return (
        is_object(value)
        and is_Container(value)
        and all(key in value for key in ['name', 'image'])
    )


def is_Affinity(value):
    return (
        is_object(value)
        and fields(KEYS_Affinity, nothing, value)
    )


def is_AppArmorProfile_type(value):
    return (
        is_string(value)
        and value in ['Localhost', 'RuntimeDefault', 'Unconfined']
    )


def is_AppArmorProfile(value):
    return (
        is_object(value)
        and fields(KEYS_AppArmorProfile, nothing, value)
        and all(key in value for key in ['type'])
    )


def is_CSIPersistentVolumeSource_volumeAttributes(value):
    return (
        is_object(value)
        and all(map(is_string, value.values()))
    )


def is_CSIPersistentVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_CSIPersistentVolumeSource, nothing, value)
        and all(key in value for key in ['driver', 'volumeHandle'])
    )


def is_CSIVolumeSource_volumeAttributes(value):
    return (
        is_object(value)
        and all(map(is_string, value.values()))
    )


def is_CSIVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_CSIVolumeSource, nothing, value)
        and all(key in value for key in ['driver'])
    )


def is_Capabilities_add(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_Capabilities_drop(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_Capabilities(value):
    return (
        is_object(value)
        and fields(KEYS_Capabilities, nothing, value)
    )


def is_ClusterTrustBundleProjection(value):
    return (
        is_object(value)
        and fields(KEYS_ClusterTrustBundleProjection, nothing, value)
        and all(key in value for key in ['path'])
    )


def is_ConfigMapEnvSource(value):
    return (
        is_object(value)
        and fields(KEYS_ConfigMapEnvSource, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_ConfigMapKeySelector(value):
    return (
        is_object(value)
        and fields(KEYS_ConfigMapKeySelector, nothing, value)
        and all(key in value for key in ['key', 'name'])
    )


def is_ConfigMapProjection_items(value):
    return (
        is_array(value)
        and all(map(is_KeyToPath, value))
    )


def is_ConfigMapProjection(value):
    return (
        is_object(value)
        and fields(KEYS_ConfigMapProjection, nothing, value)
    )


def is_ConfigMapVolumeSource_defaultMode(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_ConfigMapVolumeSource_items(value):
    return (
        is_array(value)
        and all(map(is_KeyToPath, value))
    )


def is_ConfigMapVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_ConfigMapVolumeSource, nothing, value)
    )


def is_Container_args(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_Container_command(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_Container_env(value):
    return (
        is_array(value)
        and all(map(is_EnvVar, value))
    )


def is_Container_envFrom(value):
    return (
        is_array(value)
        and all(map(is_EnvFromSource, value))
    )


def is_Container_imagePullPolicy(value):
    return (
        is_string(value)
        and value in ['', 'Always', 'IfNotPresent', 'Never']
    )


def is_Container_ports(value):
    return (
        is_array(value)
        and all(map(is_ContainerPort, value))
    )


def is_Container_resizePolicy(value):
    return (
        is_array(value)
        and all(map(is_ContainerResizePolicy, value))
    )


def is_Container_restartPolicyRules(value):
    return (
        is_array(value)
        and all(map(is_ContainerRestartRule, value))
    )


def is_Container_terminationMessagePolicy(value):
    return (
        is_string(value)
        and value in ['', 'FallbackToLogsOnError', 'File']
    )


def is_Container_volumeDevices(value):
    return (
        is_array(value)
        and all(map(is_VolumeDevice, value))
    )


def is_Container_volumeMounts(value):
    return (
        is_array(value)
        and all(map(is_VolumeMount, value))
    )


def is_Container(value):
    return (
        is_object(value)
        and fields(KEYS_Container, nothing, value)
    )


def is_ContainerPort_containerPort(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_ContainerPort_hostPort(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_ContainerPort_protocol(value):
    return (
        is_string(value)
        and value in ['', 'SCTP', 'TCP', 'UDP']
    )


def is_ContainerPort(value):
    return (
        is_object(value)
        and fields(KEYS_ContainerPort, nothing, value)
        and all(key in value for key in ['containerPort'])
    )


def is_ContainerResizePolicy(value):
    return (
        is_object(value)
        and fields(KEYS_ContainerResizePolicy, nothing, value)
        and all(key in value for key in ['resourceName', 'restartPolicy'])
    )


def is_ContainerRestartRule(value):
    return (
        is_object(value)
        and fields(KEYS_ContainerRestartRule, nothing, value)
        and all(key in value for key in ['action'])
    )


def is_ContainerRestartRuleOnExitCodes_values_item(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_ContainerRestartRuleOnExitCodes_values(value):
    return (
        is_array(value)
        and all(map(is_ContainerRestartRuleOnExitCodes_values_item, value))
    )


def is_ContainerRestartRuleOnExitCodes(value):
    return (
        is_object(value)
        and fields(KEYS_ContainerRestartRuleOnExitCodes, nothing, value)
        and all(key in value for key in ['operator'])
    )


def is_DownwardAPIProjection_items(value):
    return (
        is_array(value)
        and all(map(is_DownwardAPIVolumeFile, value))
    )


def is_DownwardAPIProjection(value):
    return (
        is_object(value)
        and fields(KEYS_DownwardAPIProjection, nothing, value)
    )


def is_DownwardAPIVolumeFile_mode(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_DownwardAPIVolumeFile(value):
    return (
        is_object(value)
        and fields(KEYS_DownwardAPIVolumeFile, nothing, value)
        and all(key in value for key in ['path'])
    )


def is_EmptyDirVolumeSource_medium(value):
    return (
        is_string(value)
        and matches('^(Memory|HugePages(-[0-9]+[KMG]i)?)?$', value)
    )


def is_EmptyDirVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_EmptyDirVolumeSource, nothing, value)
    )


def is_EnvFromSource_choice(value):
    return (not is_object(value) or all(key in value for key in ['configMapRef']))


def is_EnvFromSource_choice_2(value):
    return (not is_object(value) or all(key in value for key in ['secretRef']))


def is_EnvFromSource(value):
    return (
        is_object(value)
        and fields(KEYS_EnvFromSource, nothing, value)
        and [is_EnvFromSource_choice(value), is_EnvFromSource_choice_2(value)].count(True) == 1
    )


def is_EnvVar(value):
    return (
        is_object(value)
        and fields(KEYS_EnvVar, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_EnvVarSource(value):
    return (
        is_object(value)
        and fields(KEYS_EnvVarSource, nothing, value)
        and len(value) >= 1
        and len(value) <= 1
    )


def is_EphemeralVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_EphemeralVolumeSource, nothing, value)
    )


def is_ExecAction_command(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_ExecAction(value):
    return (
        is_object(value)
        and fields(KEYS_ExecAction, nothing, value)
    )


def is_FileKeySelector(value):
    return (
        is_object(value)
        and fields(KEYS_FileKeySelector, nothing, value)
        and all(key in value for key in ['key', 'path', 'volumeName'])
    )


def is_GRPCAction_port(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_GRPCAction(value):
    return (
        is_object(value)
        and fields(KEYS_GRPCAction, nothing, value)
        and all(key in value for key in ['port'])
    )


def is_HTTPGetAction_httpHeaders(value):
    return (
        is_array(value)
        and all(map(is_HTTPHeader, value))
    )


def is_HTTPGetAction_scheme(value):
    return (
        is_string(value)
        and value in ['', 'HTTP', 'HTTPS']
    )


def is_HTTPGetAction(value):
    return (
        is_object(value)
        and fields(KEYS_HTTPGetAction, nothing, value)
        and all(key in value for key in ['port'])
    )


def is_HTTPHeader(value):
    return (
        is_object(value)
        and fields(KEYS_HTTPHeader, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_HostAlias_hostnames(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_HostAlias(value):
    return (
        is_object(value)
        and fields(KEYS_HostAlias, nothing, value)
        and all(key in value for key in ['ip'])
    )


def is_HostPathVolumeSource_type(value):
    return (
        is_string(value)
        and value in ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']
    )


def is_HostPathVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_HostPathVolumeSource, nothing, value)
        and all(key in value for key in ['path'])
    )


def is_IntOrString(value):
    return (
        (is_integer(value) or is_string(value))
        and (not is_number(value) or not value < -2147483648)
        and (not is_number(value) or not value > 2147483647)
    )


def is_KeyToPath_mode(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_KeyToPath(value):
    return (
        is_object(value)
        and fields(KEYS_KeyToPath, nothing, value)
        and all(key in value for key in ['key', 'path'])
    )


def is_LabelSelector_matchExpressions(value):
    return (
        is_array(value)
        and all(map(is_LabelSelectorRequirement, value))
    )


def is_LabelSelector_matchLabels(value):
    return (
        is_object(value)
        and all(map(is_string, value.values()))
    )


def is_LabelSelector(value):
    return (
        is_object(value)
        and fields(KEYS_LabelSelector, nothing, value)
    )


def is_LabelSelectorRequirement_values(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_LabelSelectorRequirement(value):
    return (
        is_object(value)
        and fields(KEYS_LabelSelectorRequirement, nothing, value)
        and all(key in value for key in ['key', 'operator'])
    )


def is_Lifecycle_stopSignal(value):
    return (
        is_string(value)
        and value in ['', 'SIGABRT', 'SIGALRM', 'SIGBUS', 'SIGCHLD', 'SIGCLD', 'SIGCONT', 'SIGFPE', 'SIGHUP', 'SIGILL', 'SIGINT', 'SIGIO', 'SIGIOT', 'SIGKILL', 'SIGPIPE', 'SIGPOLL', 'SIGPROF', 'SIGPWR', 'SIGQUIT', 'SIGRTMAX', 'SIGRTMAX-1', 'SIGRTMAX-10', 'SIGRTMAX-11', 'SIGRTMAX-12', 'SIGRTMAX-13', 'SIGRTMAX-14', 'SIGRTMAX-2', 'SIGRTMAX-3', 'SIGRTMAX-4', 'SIGRTMAX-5', 'SIGRTMAX-6', 'SIGRTMAX-7', 'SIGRTMAX-8', 'SIGRTMAX-9', 'SIGRTMIN', 'SIGRTMIN+1', 'SIGRTMIN+10', 'SIGRTMIN+11', 'SIGRTMIN+12', 'SIGRTMIN+13', 'SIGRTMIN+14', 'SIGRTMIN+15', 'SIGRTMIN+2', 'SIGRTMIN+3', 'SIGRTMIN+4', 'SIGRTMIN+5', 'SIGRTMIN+6', 'SIGRTMIN+7', 'SIGRTMIN+8', 'SIGRTMIN+9', 'SIGSEGV', 'SIGSTKFLT', 'SIGSTOP', 'SIGSYS', 'SIGTERM', 'SIGTRAP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGURG', 'SIGUSR1', 'SIGUSR2', 'SIGVTALRM', 'SIGWINCH', 'SIGXCPU', 'SIGXFSZ']
    )


def is_Lifecycle(value):
    return (
        is_object(value)
        and fields(KEYS_Lifecycle, nothing, value)
    )


def is_LifecycleHandler(value):
    return (
        is_object(value)
        and fields(KEYS_LifecycleHandler, nothing, value)
    )


def is_LocalObjectReference(value):
    return (
        is_object(value)
        and fields(KEYS_LocalObjectReference, nothing, value)
    )


def is_LocalVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_LocalVolumeSource, nothing, value)
        and all(key in value for key in ['path'])
    )


def is_NFSVolumeSource_path(value):
    return (
        is_string(value)
        and matches('^/[^\\n\\x85]*$', value)
    )


def is_NFSVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_NFSVolumeSource, nothing, value)
        and all(key in value for key in ['path', 'server'])
    )


def is_NodeAffinity_preferredDuringSchedulingIgnoredDuringExecution(value):
    return (
        is_array(value)
        and all(map(is_PreferredSchedulingTerm, value))
    )


def is_NodeAffinity(value):
    return (
        is_object(value)
        and fields(KEYS_NodeAffinity, nothing, value)
    )


def is_NodeSelector_nodeSelectorTerms(value):
    return (
        is_array(value)
        and all(map(is_NodeSelectorTerm, value))
        and len(value) >= 1
    )


def is_NodeSelector(value):
    return (
        is_object(value)
        and fields(KEYS_NodeSelector, nothing, value)
        and all(key in value for key in ['nodeSelectorTerms'])
    )


def is_NodeSelectorRequirement_operator(value):
    return (
        is_string(value)
        and value in ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn']
    )


def is_NodeSelectorRequirement_values(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_NodeSelectorRequirement(value):
    return (
        is_object(value)
        and fields(KEYS_NodeSelectorRequirement, nothing, value)
        and all(key in value for key in ['key', 'operator'])
    )


def is_NodeSelectorTerm_matchExpressions(value):
    return (
        is_array(value)
        and all(map(is_NodeSelectorRequirement, value))
    )


def is_NodeSelectorTerm_matchFields(value):
    return (
        is_array(value)
        and all(map(is_NodeSelectorRequirement, value))
    )


def is_NodeSelectorTerm(value):
    return (
        is_object(value)
        and fields(KEYS_NodeSelectorTerm, nothing, value)
    )


def is_ObjectFieldSelector(value):
    return (
        is_object(value)
        and fields(KEYS_ObjectFieldSelector, nothing, value)
        and all(key in value for key in ['fieldPath'])
    )


def is_ObjectMeta_annotations(value):
    return (
        is_object(value)
        and all(map(is_string, value.values()))
    )


def is_ObjectMeta_labels(value):
    return (
        is_object(value)
        and all(map(is_string, value.values()))
    )


def is_ObjectMeta(value):
    return (
        is_object(value)
        and fields(KEYS_ObjectMeta, nothing, value)
    )


def is_PersistentVolumeClaimSpec_accessModes_item(value):
    return (
        is_string(value)
        and value in ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
    )


def is_PersistentVolumeClaimSpec_accessModes(value):
    return (
        is_array(value)
        and all(map(is_PersistentVolumeClaimSpec_accessModes_item, value))
    )


def is_PersistentVolumeClaimSpec_volumeMode(value):
    return (
        is_string(value)
        and value in ['Block', 'Filesystem']
    )


def is_PersistentVolumeClaimSpec(value):
    return (
        is_object(value)
        and fields(KEYS_PersistentVolumeClaimSpec, nothing, value)
    )


def is_PersistentVolumeClaimTemplate(value):
    return (
        is_object(value)
        and fields(KEYS_PersistentVolumeClaimTemplate, nothing, value)
        and all(key in value for key in ['spec'])
    )


def is_PodAffinity_preferredDuringSchedulingIgnoredDuringExecution(value):
    return (
        is_array(value)
        and all(map(is_WeightedPodAffinityTerm, value))
    )


def is_PodAffinity_requiredDuringSchedulingIgnoredDuringExecution(value):
    return (
        is_array(value)
        and all(map(is_PodAffinityTerm, value))
    )


def is_PodAffinity(value):
    return (
        is_object(value)
        and fields(KEYS_PodAffinity, nothing, value)
    )


def is_PodAffinityTerm_matchLabelKeys(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_PodAffinityTerm_mismatchLabelKeys(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_PodAffinityTerm_namespaces(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_PodAffinityTerm(value):
    return (
        is_object(value)
        and fields(KEYS_PodAffinityTerm, nothing, value)
        and all(key in value for key in ['topologyKey'])
    )


def is_PodAntiAffinity_preferredDuringSchedulingIgnoredDuringExecution(value):
    return (
        is_array(value)
        and all(map(is_WeightedPodAffinityTerm, value))
    )


def is_PodAntiAffinity_requiredDuringSchedulingIgnoredDuringExecution(value):
    return (
        is_array(value)
        and all(map(is_PodAffinityTerm, value))
    )


def is_PodAntiAffinity(value):
    return (
        is_object(value)
        and fields(KEYS_PodAntiAffinity, nothing, value)
    )


def is_PodCertificateProjection_maxExpirationSeconds(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_PodCertificateProjection(value):
    return (
        is_object(value)
        and fields(KEYS_PodCertificateProjection, nothing, value)
        and all(key in value for key in ['keyType', 'signerName'])
    )


def is_PodDNSConfig_nameservers(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_PodDNSConfig_options(value):
    return (
        is_array(value)
        and all(map(is_PodDNSConfigOption, value))
    )


def is_PodDNSConfig_searches(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_PodDNSConfig(value):
    return (
        is_object(value)
        and fields(KEYS_PodDNSConfig, nothing, value)
    )


def is_PodDNSConfigOption(value):
    return (
        is_object(value)
        and fields(KEYS_PodDNSConfigOption, nothing, value)
    )


def is_PodOS(value):
    return (
        is_object(value)
        and fields(KEYS_PodOS, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_PodReadinessGate(value):
    return (
        is_object(value)
        and fields(KEYS_PodReadinessGate, nothing, value)
        and all(key in value for key in ['conditionType'])
    )


def is_PodResourceClaim(value):
    return (
        is_object(value)
        and fields(KEYS_PodResourceClaim, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_PodSchedulingGate(value):
    return (
        is_object(value)
        and fields(KEYS_PodSchedulingGate, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_PodSecurityContext_fsGroupChangePolicy(value):
    return (
        is_string(value)
        and value in ['Always', 'OnRootMismatch']
    )


def is_PodSecurityContext_supplementalGroups(value):
    return (
        is_array(value)
        and all(map(is_integer, value))
    )


def is_PodSecurityContext_supplementalGroupsPolicy(value):
    return (
        is_string(value)
        and value in ['Merge', 'Strict']
    )


def is_PodSecurityContext_sysctls(value):
    return (
        is_array(value)
        and all(map(is_Sysctl, value))
    )


def is_PodSecurityContext(value):
    return (
        is_object(value)
        and fields(KEYS_PodSecurityContext, nothing, value)
    )


def is_PodSpec_dnsPolicy(value):
    return (
        is_string(value)
        and value in ['', 'ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']
    )


def is_PodSpec_hostAliases(value):
    return (
        is_array(value)
        and all(map(is_HostAlias, value))
    )


def is_PodSpec_imagePullSecrets(value):
    return (
        is_array(value)
        and all(map(is_LocalObjectReference, value))
    )


def is_PodSpec_nodeSelector(value):
    return (
        is_object(value)
        and all(map(is_string, value.values()))
    )


def is_PodSpec_overhead(value):
    return (
        is_object(value)
        and all(map(is_Quantity, value.values()))
    )


def is_PodSpec_preemptionPolicy(value):
    return (
        is_string(value)
        and value in ['Never', 'PreemptLowerPriority']
    )


def is_PodSpec_priority(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_PodSpec_readinessGates(value):
    return (
        is_array(value)
        and all(map(is_PodReadinessGate, value))
    )


def is_PodSpec_resourceClaims(value):
    return (
        is_array(value)
        and all(map(is_PodResourceClaim, value))
    )


def is_PodSpec_restartPolicy(value):
    return (
        is_string(value)
        and value in ['', 'Always', 'Never', 'OnFailure']
    )


def is_PodSpec_schedulingGates(value):
    return (
        is_array(value)
        and all(map(is_PodSchedulingGate, value))
    )


def is_PodSpec_tolerations(value):
    return (
        is_array(value)
        and all(map(is_Toleration, value))
    )


def is_PodSpec_topologySpreadConstraints(value):
    return (
        is_array(value)
        and all(map(is_TopologySpreadConstraint, value))
    )


def is_PodSpec(value):
    return (
        is_object(value)
        and fields(KEYS_PodSpec, nothing, value)
    )


def is_PreferredSchedulingTerm_weight(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_PreferredSchedulingTerm(value):
    return (
        is_object(value)
        and fields(KEYS_PreferredSchedulingTerm, nothing, value)
        and all(key in value for key in ['weight'])
    )


def is_Probe_failureThreshold(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_Probe_initialDelaySeconds(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_Probe_periodSeconds(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_Probe_successThreshold(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_Probe_timeoutSeconds(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_Probe(value):
    return (
        is_object(value)
        and fields(KEYS_Probe, nothing, value)
    )


def is_ProjectedVolumeSource_defaultMode(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_ProjectedVolumeSource_sources(value):
    return (
        is_array(value)
        and all(map(is_VolumeProjection, value))
    )


def is_ProjectedVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_ProjectedVolumeSource, nothing, value)
    )


def is_Quantity(value):
    return (
        (is_string(value) or is_number(value))
        and (not is_string(value) or matches('^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$', value))
    )


def is_ResourceClaim(value):
    return (
        is_object(value)
        and fields(KEYS_ResourceClaim, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_ResourceFieldSelector(value):
    return (
        is_object(value)
        and fields(KEYS_ResourceFieldSelector, nothing, value)
        and all(key in value for key in ['resource'])
    )


def is_ResourceRequirements_claims(value):
    return (
        is_array(value)
        and all(map(is_ResourceClaim, value))
    )


def is_ResourceRequirements_limits(value):
    return (
        is_object(value)
        and all(map(is_Quantity, value.values()))
    )


def is_ResourceRequirements_requests(value):
    return (
        is_object(value)
        and all(map(is_Quantity, value.values()))
    )


def is_ResourceRequirements(value):
    return (
        is_object(value)
        and fields(KEYS_ResourceRequirements, nothing, value)
    )


def is_SELinuxOptions(value):
    return (
        is_object(value)
        and fields(KEYS_SELinuxOptions, nothing, value)
    )


def is_SeccompProfile_type(value):
    return (
        is_string(value)
        and value in ['Localhost', 'RuntimeDefault', 'Unconfined']
    )


def is_SeccompProfile(value):
    return (
        is_object(value)
        and fields(KEYS_SeccompProfile, nothing, value)
        and all(key in value for key in ['type'])
    )


def is_SecretEnvSource(value):
    return (
        is_object(value)
        and fields(KEYS_SecretEnvSource, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_SecretKeySelector(value):
    return (
        is_object(value)
        and fields(KEYS_SecretKeySelector, nothing, value)
        and all(key in value for key in ['key', 'name'])
    )


def is_SecretProjection_items(value):
    return (
        is_array(value)
        and all(map(is_KeyToPath, value))
    )


def is_SecretProjection(value):
    return (
        is_object(value)
        and fields(KEYS_SecretProjection, nothing, value)
    )


def is_SecretReference(value):
    return (
        is_object(value)
        and fields(KEYS_SecretReference, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_SecretVolumeSource_defaultMode(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_SecretVolumeSource_items(value):
    return (
        is_array(value)
        and all(map(is_KeyToPath, value))
    )


def is_SecretVolumeSource(value):
    return (
        is_object(value)
        and fields(KEYS_SecretVolumeSource, nothing, value)
    )


def is_SecurityContext_procMount(value):
    return (
        is_string(value)
        and value in ['Default', 'Unmasked']
    )


def is_SecurityContext(value):
    return (
        is_object(value)
        and fields(KEYS_SecurityContext, nothing, value)
    )


def is_ServiceAccountTokenProjection(value):
    return (
        is_object(value)
        and fields(KEYS_ServiceAccountTokenProjection, nothing, value)
        and all(key in value for key in ['path'])
    )


def is_SleepAction(value):
    return (
        is_object(value)
        and fields(KEYS_SleepAction, nothing, value)
    )


def is_Sysctl(value):
    return (
        is_object(value)
        and fields(KEYS_Sysctl, nothing, value)
        and all(key in value for key in ['name'])
    )


def is_TCPSocketAction(value):
    return (
        is_object(value)
        and fields(KEYS_TCPSocketAction, nothing, value)
        and all(key in value for key in ['port'])
    )


def is_Toleration_effect(value):
    return (
        is_string(value)
        and value in ['', 'NoExecute', 'NoSchedule', 'PreferNoSchedule']
    )


def is_Toleration_operator(value):
    return (
        is_string(value)
        and value in ['', 'Equal', 'Exists', 'Gt', 'Lt']
    )


def is_Toleration(value):
    return (
        is_object(value)
        and fields(KEYS_Toleration, nothing, value)
    )


def is_TopologySpreadConstraint_matchLabelKeys(value):
    return (
        is_array(value)
        and all(map(is_string, value))
    )


def is_TopologySpreadConstraint_maxSkew(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_TopologySpreadConstraint_minDomains(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_TopologySpreadConstraint_nodeAffinityPolicy(value):
    return (
        is_string(value)
        and value in ['Honor', 'Ignore']
    )


def is_TopologySpreadConstraint_nodeTaintsPolicy(value):
    return (
        is_string(value)
        and value in ['Honor', 'Ignore']
    )


def is_TopologySpreadConstraint_whenUnsatisfiable(value):
    return (
        is_string(value)
        and value in ['DoNotSchedule', 'ScheduleAnyway']
    )


def is_TopologySpreadConstraint(value):
    return (
        is_object(value)
        and fields(KEYS_TopologySpreadConstraint, nothing, value)
        and all(key in value for key in ['maxSkew', 'topologyKey', 'whenUnsatisfiable'])
    )


def is_TypedLocalObjectReference(value):
    return (
        is_object(value)
        and fields(KEYS_TypedLocalObjectReference, nothing, value)
        and all(key in value for key in ['kind', 'name'])
    )


def is_TypedObjectReference(value):
    return (
        is_object(value)
        and fields(KEYS_TypedObjectReference, nothing, value)
        and all(key in value for key in ['kind', 'name'])
    )


def is_VolumeDevice(value):
    return (
        is_object(value)
        and fields(KEYS_VolumeDevice, nothing, value)
        and all(key in value for key in ['devicePath', 'name'])
    )


def is_VolumeMount_mountPropagation(value):
    return (
        is_string(value)
        and value in ['Bidirectional', 'HostToContainer', 'None']
    )


def is_VolumeMount(value):
    return (
        is_object(value)
        and fields(KEYS_VolumeMount, nothing, value)
        and all(key in value for key in ['mountPath', 'name'])
    )


def is_VolumeNodeAffinity(value):
    return (
        is_object(value)
        and fields(KEYS_VolumeNodeAffinity, nothing, value)
        and all(key in value for key in ['required'])
    )


def is_VolumeProjection(value):
    return (
        is_object(value)
        and fields(KEYS_VolumeProjection, nothing, value)
    )


def is_VolumeResourceRequirements_limits(value):
    return (
        is_object(value)
        and all(map(is_Quantity, value.values()))
    )


def is_VolumeResourceRequirements_requests(value):
    return (
        is_object(value)
        and all(map(is_Quantity, value.values()))
    )


def is_VolumeResourceRequirements(value):
    return (
        is_object(value)
        and fields(KEYS_VolumeResourceRequirements, nothing, value)
    )


def is_WeightedPodAffinityTerm_weight(value):
    return (
        is_integer(value)
        and not value < -2147483648
        and not value > 2147483647
    )


def is_WeightedPodAffinityTerm(value):
    return (
        is_object(value)
        and fields(KEYS_WeightedPodAffinityTerm, nothing, value)
        and all(key in value for key in ['podAffinityTerm', 'weight'])
    )


def is_WindowsSecurityContextOptions(value):
    return (
        is_object(value)
        and fields(KEYS_WindowsSecurityContextOptions, nothing, value)
    )


KEYS_run = {
    'id': is_run_id,
}
KEYS_image = {
    'repository': is_image_repository,
    'tag': is_image_tag,
    'digest': is_image_digest,
    'pullPolicy': is_image_pullPolicy,
    'pullSecrets': is_image_pullSecrets,
}
KEYS_code_git = {
    'repository': is_code_git_repository,
    'revision': is_code_git_revision,
    'secretName': is_code_git_secretName,
    'knownHosts': is_string,
    'image': is_code_git_image,
}
KEYS_code = {
    'git': is_code_git,
    'mountPath': is_code_mountPath,
}
KEYS_workers_accelerator = {
    'resource': is_workers_accelerator_resource,
    'count': is_workers_accelerator_count,
}
KEYS_workers_resources = {
    'requests': is_workers_resources_requests,
    'limits': is_workers_resources_limits,
    'claims': is_workers_resources_claims,
}
KEYS_workers = {
    'replicas': is_workers_replicas,
    'slots': is_workers_slots,
    'accelerator': is_workers_accelerator,
    'sharedMemory': is_workers_sharedMemory,
    'spread': is_workers_spread,
    'serviceAccountName': is_workers_serviceAccountName,
    'resources': is_workers_resources,
    'schedulerName': is_workers_schedulerName,
    'excludeNodes': is_workers_excludeNodes,
    'tolerations': is_workers_tolerations,
    'nodeSelector': is_workers_nodeSelector,
    'affinity': is_workers_affinity,
    'topologySpreadConstraints': is_workers_topologySpreadConstraints,
    'priorityClassName': is_workers_priorityClassName,
    'runtimeClassName': is_workers_runtimeClassName,
    'podLabels': is_workers_podLabels,
    'podAnnotations': is_workers_podAnnotations,
    'initContainers': is_workers_initContainers,
    'sidecars': is_workers_sidecars,
    'securityContext': is_workers_securityContext,
    'extraPodSpec': is_workers_extraPodSpec,
    'extraContainerSpec': is_workers_extraContainerSpec,
}
KEYS_launcher_resources = {
    'requests': is_launcher_resources_requests,
    'limits': is_launcher_resources_limits,
    'claims': is_launcher_resources_claims,
}
KEYS_launcher = {
    'image': is_launcher_image,
    'env': is_launcher_env,
    'resources': is_launcher_resources,
    'schedulerName': is_launcher_schedulerName,
    'tolerations': is_launcher_tolerations,
    'nodeSelector': is_launcher_nodeSelector,
    'affinity': is_launcher_affinity,
    'topologySpreadConstraints': is_launcher_topologySpreadConstraints,
    'priorityClassName': is_launcher_priorityClassName,
    'runtimeClassName': is_launcher_runtimeClassName,
    'podLabels': is_launcher_podLabels,
    'podAnnotations': is_launcher_podAnnotations,
    'initContainers': is_launcher_initContainers,
    'sidecars': is_launcher_sidecars,
    'securityContext': is_launcher_securityContext,
    'extraPodSpec': is_launcher_extraPodSpec,
    'extraContainerSpec': is_launcher_extraContainerSpec,
}
KEYS_training_deepspeed = {
    'config': is_training_deepspeed_config,
    'configFile': is_string,
    'passConfig': is_boolean,
    'localRank': is_boolean,
    'version': is_training_deepspeed_version,
    'args': is_training_deepspeed_args,
    'autotuning': is_training_deepspeed_autotuning,
    'bindCores': is_boolean,
}
KEYS_training = {
    'python': is_string,
    'module': is_string,
    'exec': is_training_exec,
    'args': is_training_args,
    'pythonCommand': is_training_pythonCommand,
    'workingDir': is_training_workingDir,
    'env': is_training_env,
    'envFrom': is_training_envFrom,
    'setup': is_string,
    'files': is_training_files,
    'rankLogs': is_training_rankLogs,
    'deepspeed': is_training_deepspeed,
}
KEYS_launch_preflight = {
    'network': is_boolean,
    'spares': is_launch_preflight_spares,
}
KEYS_launch = {
    'method': is_launch_method,
    'command': is_launch_command,
    'mpirunArgs': is_launch_mpirunArgs,
    'masterPort': is_launch_masterPort,
    'expectWorld': is_boolean,
    'preflight': is_launch_preflight,
}
KEYS_lifecycle_progress = {
    'pattern': is_lifecycle_progress_pattern,
    'file': is_string,
    'checkpointPath': is_string,
    'checkpointTimeoutSeconds': is_lifecycle_progress_checkpointTimeoutSeconds,
}
KEYS_lifecycle_debug = {
    'enabled': is_boolean,
    'command': is_lifecycle_debug_command,
    'skipInitContainers': is_boolean,
}
KEYS_lifecycle = {
    'maxRestarts': is_lifecycle_maxRestarts,
    'restartExitCodes': is_lifecycle_restartExitCodes,
    'restartDelaySeconds': is_lifecycle_restartDelaySeconds,
    'startTimeoutSeconds': is_lifecycle_startTimeoutSeconds,
    'activeDeadlineSeconds': is_lifecycle_activeDeadlineSeconds,
    'hangTimeoutSeconds': is_lifecycle_hangTimeoutSeconds,
    'progress': is_lifecycle_progress,
    'orphanTimeoutSeconds': is_lifecycle_orphanTimeoutSeconds,
    'terminationGracePeriodSeconds': is_lifecycle_terminationGracePeriodSeconds,
    'workerReplacements': is_lifecycle_workerReplacements,
    'keepWorkers': is_lifecycle_keepWorkers,
    'ttlSecondsAfterFinished': is_lifecycle_ttlSecondsAfterFinished,
    'suspend': is_lifecycle_suspend,
    'debug': is_lifecycle_debug,
}
KEYS_storage_other_create = {
    'size': is_storage_other_create_size,
    'accessModes': is_storage_other_create_accessModes,
    'storageClass': is_storage_other_create_storageClass,
    'protect': is_boolean,
    'persistentVolume': is_storage_other_create_persistentVolume,
}
KEYS_storage_other = {
    'mountPath': is_storage_other_mountPath,
    'subPath': is_storage_other_subPath,
    'readOnly': is_boolean,
    'mountIn': is_storage_other_mountIn,
    'create': is_storage_other_create,
    'existingClaim': is_storage_other_existingClaim,
    'nfs': is_storage_other_nfs,
    'hostPath': is_storage_other_hostPath,
    'emptyDir': is_storage_other_emptyDir,
    'ephemeral': is_storage_other_ephemeral,
    'csi': is_storage_other_csi,
    'configMap': is_storage_other_configMap,
    'secret': is_storage_other_secret,
    'projected': is_storage_other_projected,
}
KEYS_ssh_secret = {
    'mode': is_ssh_secret_mode,
    'name': is_ssh_secret_name,
}
KEYS_ssh = {
    'secret': is_ssh_secret,
    'port': is_ssh_port,
    'user': is_ssh_user,
    'passwdEntry': is_ssh_passwdEntry,
}
KEYS_status_webhook = {
    'url': is_status_webhook_url,
    'secretName': is_status_webhook_secretName,
}
KEYS_status = {
    'image': is_status_image,
    'intervalSeconds': is_status_intervalSeconds,
    'history': is_status_history,
    'webhook': is_status_webhook,
}
KEYS_security = {
    'podSecurityLevel': is_security_podSecurityLevel,
    'podSecurityContext': is_security_podSecurityContext,
    'securityContext': is_security_securityContext,
}
KEYS_rbac = {
    'create': is_boolean,
}
KEYS_serviceAccount = {
    'create': is_boolean,
    'name': is_serviceAccount_name,
    'annotations': is_serviceAccount_annotations,
}
KEYS_network_rdma = {
    'resources': is_network_rdma_resources,
    'ipcLock': is_network_rdma_ipcLock,
    'networks': is_network_rdma_networks,
}
KEYS_network = {
    'policy': is_boolean,
    'hostNetwork': is_boolean,
    'socketInterface': is_network_socketInterface,
    'rdma': is_network_rdma,
}
KEYS_scheduling_topology = {
    'required': is_scheduling_topology_required,
    'preferred': is_scheduling_topology_preferred,
}
KEYS_scheduling = {
    'gang': is_scheduling_gang,
    'queue': is_scheduling_queue,
    'launcherQueue': is_scheduling_launcherQueue,
    'priorityClass': is_scheduling_priorityClass,
    'topology': is_scheduling_topology,
}
KEYS_monitoring_tensorboard_resources = {
    'requests': is_monitoring_tensorboard_resources_requests,
    'limits': is_monitoring_tensorboard_resources_limits,
    'claims': is_monitoring_tensorboard_resources_claims,
}
KEYS_monitoring_tensorboard = {
    'enabled': is_boolean,
    'logDir': is_string,
    'image': is_monitoring_tensorboard_image,
    'port': is_monitoring_tensorboard_port,
    'resources': is_monitoring_tensorboard_resources,
}
KEYS_monitoring_podMonitor_scrapedBy = {
    'app': is_monitoring_podMonitor_scrapedBy_app,
    'namespace': is_monitoring_podMonitor_scrapedBy_namespace,
}
KEYS_monitoring_podMonitor = {
    'enabled': is_boolean,
    'port': is_monitoring_podMonitor_port,
    'path': is_monitoring_podMonitor_path,
    'scrapedBy': is_monitoring_podMonitor_scrapedBy,
}
KEYS_monitoring = {
    'tensorboard': is_monitoring_tensorboard,
    'podMonitor': is_monitoring_podMonitor,
}
KEYS_valid = {
    'name': is_name,
    'namespace': is_namespace,
    'run': is_run,
    'image': is_image,
    'code': is_code,
    'labels': is_labels,
    'annotations': is_annotations,
    'workers': is_workers,
    'launcher': is_launcher,
    'training': is_training,
    'launch': is_launch,
    'lifecycle': is_lifecycle,
    'storage': is_storage,
    'ssh': is_ssh,
    'status': is_status,
    'security': is_security,
    'rbac': is_rbac,
    'serviceAccount': is_serviceAccount,
    'network': is_network,
    'scheduling': is_scheduling,
    'monitoring': is_monitoring,
    'global': is_object,
}
KEYS_pullSecret = {
    'name': is_pullSecret_name,
}
KEYS_envValue = {
    'valueFrom': is_EnvVarSource,
}
KEYS_persistentVolume = {
    'nfs': is_NFSVolumeSource,
    'hostPath': is_HostPathVolumeSource,
    'csi': is_CSIPersistentVolumeSource,
    'local': is_LocalVolumeSource,
    'nodeAffinity': is_VolumeNodeAffinity,
    'mountOptions': is_persistentVolume_mountOptions,
}
KEYS_Affinity = {
    'nodeAffinity': is_NodeAffinity,
    'podAffinity': is_PodAffinity,
    'podAntiAffinity': is_PodAntiAffinity,
}
KEYS_AppArmorProfile = {
    'localhostProfile': is_string,
    'type': is_AppArmorProfile_type,
}
KEYS_CSIPersistentVolumeSource = {
    'controllerExpandSecretRef': is_SecretReference,
    'controllerPublishSecretRef': is_SecretReference,
    'driver': is_string,
    'fsType': is_string,
    'nodeExpandSecretRef': is_SecretReference,
    'nodePublishSecretRef': is_SecretReference,
    'nodeStageSecretRef': is_SecretReference,
    'readOnly': is_boolean,
    'volumeAttributes': is_CSIPersistentVolumeSource_volumeAttributes,
    'volumeHandle': is_string,
}
KEYS_CSIVolumeSource = {
    'driver': is_string,
    'fsType': is_string,
    'nodePublishSecretRef': is_LocalObjectReference,
    'readOnly': is_boolean,
    'volumeAttributes': is_CSIVolumeSource_volumeAttributes,
}
KEYS_Capabilities = {
    'add': is_Capabilities_add,
    'drop': is_Capabilities_drop,
}
KEYS_ClusterTrustBundleProjection = {
    'labelSelector': is_LabelSelector,
    'name': is_string,
    'optional': is_boolean,
    'path': is_string,
    'signerName': is_string,
}
KEYS_ConfigMapEnvSource = {
    'name': is_string,
    'optional': is_boolean,
}
KEYS_ConfigMapKeySelector = {
    'key': is_string,
    'name': is_string,
    'optional': is_boolean,
}
KEYS_ConfigMapProjection = {
    'items': is_ConfigMapProjection_items,
    'name': is_string,
    'optional': is_boolean,
}
KEYS_ConfigMapVolumeSource = {
    'defaultMode': is_ConfigMapVolumeSource_defaultMode,
    'items': is_ConfigMapVolumeSource_items,
    'name': is_string,
    'optional': is_boolean,
}
KEYS_Container = {
    'args': is_Container_args,
    'command': is_Container_command,
    'env': is_Container_env,
    'envFrom': is_Container_envFrom,
    'image': is_string,
    'imagePullPolicy': is_Container_imagePullPolicy,
    'lifecycle': is_Lifecycle,
    'livenessProbe': is_Probe,
    'name': is_string,
    'ports': is_Container_ports,
    'readinessProbe': is_Probe,
    'resizePolicy': is_Container_resizePolicy,
    'resources': is_ResourceRequirements,
    'restartPolicy': is_string,
    'restartPolicyRules': is_Container_restartPolicyRules,
    'securityContext': is_SecurityContext,
    'startupProbe': is_Probe,
    'stdin': is_boolean,
    'stdinOnce': is_boolean,
    'terminationMessagePath': is_string,
    'terminationMessagePolicy': is_Container_terminationMessagePolicy,
    'tty': is_boolean,
    'volumeDevices': is_Container_volumeDevices,
    'volumeMounts': is_Container_volumeMounts,
    'workingDir': is_string,
}
KEYS_ContainerPort = {
    'containerPort': is_ContainerPort_containerPort,
    'hostIP': is_string,
    'hostPort': is_ContainerPort_hostPort,
    'name': is_string,
    'protocol': is_ContainerPort_protocol,
}
KEYS_ContainerResizePolicy = {
    'resourceName': is_string,
    'restartPolicy': is_string,
}
KEYS_ContainerRestartRule = {
    'action': is_string,
    'exitCodes': is_ContainerRestartRuleOnExitCodes,
}
KEYS_ContainerRestartRuleOnExitCodes = {
    'operator': is_string,
    'values': is_ContainerRestartRuleOnExitCodes_values,
}
KEYS_DownwardAPIProjection = {
    'items': is_DownwardAPIProjection_items,
}
KEYS_DownwardAPIVolumeFile = {
    'fieldRef': is_ObjectFieldSelector,
    'mode': is_DownwardAPIVolumeFile_mode,
    'path': is_string,
    'resourceFieldRef': is_ResourceFieldSelector,
}
KEYS_EmptyDirVolumeSource = {
    'medium': is_EmptyDirVolumeSource_medium,
    'sizeLimit': is_Quantity,
}
KEYS_EnvFromSource = {
    'configMapRef': is_ConfigMapEnvSource,
    'prefix': is_string,
    'secretRef': is_SecretEnvSource,
}
KEYS_EnvVar = {
    'name': is_string,
    'value': is_string,
    'valueFrom': is_EnvVarSource,
}
KEYS_EnvVarSource = {
    'configMapKeyRef': is_ConfigMapKeySelector,
    'fieldRef': is_ObjectFieldSelector,
    'fileKeyRef': is_FileKeySelector,
    'resourceFieldRef': is_ResourceFieldSelector,
    'secretKeyRef': is_SecretKeySelector,
}
KEYS_EphemeralVolumeSource = {
    'volumeClaimTemplate': is_PersistentVolumeClaimTemplate,
}
KEYS_ExecAction = {
    'command': is_ExecAction_command,
}
KEYS_FileKeySelector = {
    'key': is_string,
    'optional': is_boolean,
    'path': is_string,
    'volumeName': is_string,
}
KEYS_GRPCAction = {
    'port': is_GRPCAction_port,
    'service': is_string,
}
KEYS_HTTPGetAction = {
    'host': is_string,
    'httpHeaders': is_HTTPGetAction_httpHeaders,
    'path': is_string,
    'port': is_IntOrString,
    'scheme': is_HTTPGetAction_scheme,
}
KEYS_HTTPHeader = {
    'name': is_string,
    'value': is_string,
}
KEYS_HostAlias = {
    'hostnames': is_HostAlias_hostnames,
    'ip': is_string,
}
KEYS_HostPathVolumeSource = {
    'path': is_string,
    'type': is_HostPathVolumeSource_type,
}
KEYS_KeyToPath = {
    'key': is_string,
    'mode': is_KeyToPath_mode,
    'path': is_string,
}
KEYS_LabelSelector = {
    'matchExpressions': is_LabelSelector_matchExpressions,
    'matchLabels': is_LabelSelector_matchLabels,
}
KEYS_LabelSelectorRequirement = {
    'key': is_string,
    'operator': is_string,
    'values': is_LabelSelectorRequirement_values,
}
KEYS_Lifecycle = {
    'postStart': is_LifecycleHandler,
    'preStop': is_LifecycleHandler,
    'stopSignal': is_Lifecycle_stopSignal,
}
KEYS_LifecycleHandler = {
    'exec': is_ExecAction,
    'httpGet': is_HTTPGetAction,
    'sleep': is_SleepAction,
    'tcpSocket': is_TCPSocketAction,
}
KEYS_LocalObjectReference = {
    'name': is_string,
}
KEYS_LocalVolumeSource = {
    'fsType': is_string,
    'path': is_string,
}
KEYS_NFSVolumeSource = {
    'path': is_NFSVolumeSource_path,
    'readOnly': is_boolean,
    'server': is_string,
}
KEYS_NodeAffinity = {
    'preferredDuringSchedulingIgnoredDuringExecution': is_NodeAffinity_preferredDuringSchedulingIgnoredDuringExecution,
    'requiredDuringSchedulingIgnoredDuringExecution': is_NodeSelector,
}
KEYS_NodeSelector = {
    'nodeSelectorTerms': is_NodeSelector_nodeSelectorTerms,
}
KEYS_NodeSelectorRequirement = {
    'key': is_string,
    'operator': is_NodeSelectorRequirement_operator,
    'values': is_NodeSelectorRequirement_values,
}
KEYS_NodeSelectorTerm = {
    'matchExpressions': is_NodeSelectorTerm_matchExpressions,
    'matchFields': is_NodeSelectorTerm_matchFields,
}
KEYS_ObjectFieldSelector = {
    'apiVersion': is_string,
    'fieldPath': is_string,
}
KEYS_ObjectMeta = {
    'annotations': is_ObjectMeta_annotations,
    'labels': is_ObjectMeta_labels,
}
KEYS_PersistentVolumeClaimSpec = {
    'accessModes': is_PersistentVolumeClaimSpec_accessModes,
    'dataSource': is_TypedLocalObjectReference,
    'dataSourceRef': is_TypedObjectReference,
    'resources': is_VolumeResourceRequirements,
    'selector': is_LabelSelector,
    'storageClassName': is_string,
    'volumeAttributesClassName': is_string,
    'volumeMode': is_PersistentVolumeClaimSpec_volumeMode,
    'volumeName': is_string,
}
KEYS_PersistentVolumeClaimTemplate = {
    'metadata': is_ObjectMeta,
    'spec': is_PersistentVolumeClaimSpec,
}
KEYS_PodAffinity = {
    'preferredDuringSchedulingIgnoredDuringExecution': is_PodAffinity_preferredDuringSchedulingIgnoredDuringExecution,
    'requiredDuringSchedulingIgnoredDuringExecution': is_PodAffinity_requiredDuringSchedulingIgnoredDuringExecution,
}
KEYS_PodAffinityTerm = {
    'labelSelector': is_LabelSelector,
    'matchLabelKeys': is_PodAffinityTerm_matchLabelKeys,
    'mismatchLabelKeys': is_PodAffinityTerm_mismatchLabelKeys,
    'namespaceSelector': is_LabelSelector,
    'namespaces': is_PodAffinityTerm_namespaces,
    'topologyKey': is_string,
}
KEYS_PodAntiAffinity = {
    'preferredDuringSchedulingIgnoredDuringExecution': is_PodAntiAffinity_preferredDuringSchedulingIgnoredDuringExecution,
    'requiredDuringSchedulingIgnoredDuringExecution': is_PodAntiAffinity_requiredDuringSchedulingIgnoredDuringExecution,
}
KEYS_PodCertificateProjection = {
    'certificateChainPath': is_string,
    'credentialBundlePath': is_string,
    'keyPath': is_string,
    'keyType': is_string,
    'maxExpirationSeconds': is_PodCertificateProjection_maxExpirationSeconds,
    'signerName': is_string,
}
KEYS_PodDNSConfig = {
    'nameservers': is_PodDNSConfig_nameservers,
    'options': is_PodDNSConfig_options,
    'searches': is_PodDNSConfig_searches,
}
KEYS_PodDNSConfigOption = {
    'name': is_string,
    'value': is_string,
}
KEYS_PodOS = {
    'name': is_string,
}
KEYS_PodReadinessGate = {
    'conditionType': is_string,
}
KEYS_PodResourceClaim = {
    'name': is_string,
    'resourceClaimName': is_string,
    'resourceClaimTemplateName': is_string,
}
KEYS_PodSchedulingGate = {
    'name': is_string,
}
KEYS_PodSecurityContext = {
    'appArmorProfile': is_AppArmorProfile,
    'fsGroup': is_integer,
    'fsGroupChangePolicy': is_PodSecurityContext_fsGroupChangePolicy,
    'runAsGroup': is_integer,
    'runAsNonRoot': is_boolean,
    'runAsUser': is_integer,
    'seLinuxChangePolicy': is_string,
    'seLinuxOptions': is_SELinuxOptions,
    'seccompProfile': is_SeccompProfile,
    'supplementalGroups': is_PodSecurityContext_supplementalGroups,
    'supplementalGroupsPolicy': is_PodSecurityContext_supplementalGroupsPolicy,
    'sysctls': is_PodSecurityContext_sysctls,
    'windowsOptions': is_WindowsSecurityContextOptions,
}
KEYS_PodSpec = {
    'activeDeadlineSeconds': is_integer,
    'affinity': is_Affinity,
    'automountServiceAccountToken': is_boolean,
    'containers': is_withoutNull,
    'dnsConfig': is_PodDNSConfig,
    'dnsPolicy': is_PodSpec_dnsPolicy,
    'enableServiceLinks': is_boolean,
    'ephemeralContainers': is_withoutNull,
    'hostAliases': is_PodSpec_hostAliases,
    'hostIPC': is_boolean,
    'hostNetwork': is_boolean,
    'hostPID': is_boolean,
    'hostUsers': is_boolean,
    'hostname': is_string,
    'hostnameOverride': is_string,
    'imagePullSecrets': is_PodSpec_imagePullSecrets,
    'initContainers': is_withoutNull,
    'nodeName': is_string,
    'nodeSelector': is_PodSpec_nodeSelector,
    'os': is_PodOS,
    'overhead': is_PodSpec_overhead,
    'preemptionPolicy': is_PodSpec_preemptionPolicy,
    'priority': is_PodSpec_priority,
    'priorityClassName': is_string,
    'readinessGates': is_PodSpec_readinessGates,
    'resourceClaims': is_PodSpec_resourceClaims,
    'resources': is_ResourceRequirements,
    'restartPolicy': is_PodSpec_restartPolicy,
    'runtimeClassName': is_string,
    'schedulerName': is_string,
    'schedulingGates': is_PodSpec_schedulingGates,
    'securityContext': is_PodSecurityContext,
    'serviceAccount': is_string,
    'serviceAccountName': is_string,
    'setHostnameAsFQDN': is_boolean,
    'shareProcessNamespace': is_boolean,
    'subdomain': is_string,
    'terminationGracePeriodSeconds': is_integer,
    'tolerations': is_PodSpec_tolerations,
    'topologySpreadConstraints': is_PodSpec_topologySpreadConstraints,
    'volumes': is_withoutNull,
}
KEYS_PreferredSchedulingTerm = {
    'preference': is_NodeSelectorTerm,
    'weight': is_PreferredSchedulingTerm_weight,
}
KEYS_Probe = {
    'exec': is_ExecAction,
    'failureThreshold': is_Probe_failureThreshold,
    'grpc': is_GRPCAction,
    'httpGet': is_HTTPGetAction,
    'initialDelaySeconds': is_Probe_initialDelaySeconds,
    'periodSeconds': is_Probe_periodSeconds,
    'successThreshold': is_Probe_successThreshold,
    'tcpSocket': is_TCPSocketAction,
    'terminationGracePeriodSeconds': is_integer,
    'timeoutSeconds': is_Probe_timeoutSeconds,
}
KEYS_ProjectedVolumeSource = {
    'defaultMode': is_ProjectedVolumeSource_defaultMode,
    'sources': is_ProjectedVolumeSource_sources,
}
KEYS_ResourceClaim = {
    'name': is_string,
    'request': is_string,
}
KEYS_ResourceFieldSelector = {
    'containerName': is_string,
    'divisor': is_Quantity,
    'resource': is_string,
}
KEYS_ResourceRequirements = {
    'claims': is_ResourceRequirements_claims,
    'limits': is_ResourceRequirements_limits,
    'requests': is_ResourceRequirements_requests,
}
KEYS_SELinuxOptions = {
    'level': is_string,
    'role': is_string,
    'type': is_string,
    'user': is_string,
}
KEYS_SeccompProfile = {
    'localhostProfile': is_string,
    'type': is_SeccompProfile_type,
}
KEYS_SecretEnvSource = {
    'name': is_string,
    'optional': is_boolean,
}
KEYS_SecretKeySelector = {
    'key': is_string,
    'name': is_string,
    'optional': is_boolean,
}
KEYS_SecretProjection = {
    'items': is_SecretProjection_items,
    'name': is_string,
    'optional': is_boolean,
}
KEYS_SecretReference = {
    'name': is_string,
    'namespace': is_string,
}
KEYS_SecretVolumeSource = {
    'defaultMode': is_SecretVolumeSource_defaultMode,
    'items': is_SecretVolumeSource_items,
    'optional': is_boolean,
    'secretName': is_string,
}
KEYS_SecurityContext = {
    'allowPrivilegeEscalation': is_boolean,
    'appArmorProfile': is_AppArmorProfile,
    'capabilities': is_Capabilities,
    'privileged': is_boolean,
    'procMount': is_SecurityContext_procMount,
    'readOnlyRootFilesystem': is_boolean,
    'runAsGroup': is_integer,
    'runAsNonRoot': is_boolean,
    'runAsUser': is_integer,
    'seLinuxOptions': is_SELinuxOptions,
    'seccompProfile': is_SeccompProfile,
    'windowsOptions': is_WindowsSecurityContextOptions,
}
KEYS_ServiceAccountTokenProjection = {
    'audience': is_string,
    'expirationSeconds': is_integer,
    'path': is_string,
}
KEYS_SleepAction = {
    'seconds': is_integer,
}
KEYS_Sysctl = {
    'name': is_string,
    'value': is_string,
}
KEYS_TCPSocketAction = {
    'host': is_string,
    'port': is_IntOrString,
}
KEYS_Toleration = {
    'effect': is_Toleration_effect,
    'key': is_string,
    'operator': is_Toleration_operator,
    'tolerationSeconds': is_integer,
    'value': is_string,
}
KEYS_TopologySpreadConstraint = {
    'labelSelector': is_LabelSelector,
    'matchLabelKeys': is_TopologySpreadConstraint_matchLabelKeys,
    'maxSkew': is_TopologySpreadConstraint_maxSkew,
    'minDomains': is_TopologySpreadConstraint_minDomains,
    'nodeAffinityPolicy': is_TopologySpreadConstraint_nodeAffinityPolicy,
    'nodeTaintsPolicy': is_TopologySpreadConstraint_nodeTaintsPolicy,
    'topologyKey': is_string,
    'whenUnsatisfiable': is_TopologySpreadConstraint_whenUnsatisfiable,
}
KEYS_TypedLocalObjectReference = {
    'apiGroup': is_string,
    'kind': is_string,
    'name': is_string,
}
KEYS_TypedObjectReference = {
    'apiGroup': is_string,
    'kind': is_string,
    'name': is_string,
    'namespace': is_string,
}
KEYS_VolumeDevice = {
    'devicePath': is_string,
    'name': is_string,
}
KEYS_VolumeMount = {
    'mountPath': is_string,
    'mountPropagation': is_VolumeMount_mountPropagation,
    'name': is_string,
    'readOnly': is_boolean,
    'recursiveReadOnly': is_string,
    'subPath': is_string,
    'subPathExpr': is_string,
}
KEYS_VolumeNodeAffinity = {
    'required': is_NodeSelector,
}
KEYS_VolumeProjection = {
    'clusterTrustBundle': is_ClusterTrustBundleProjection,
    'configMap': is_ConfigMapProjection,
    'downwardAPI': is_DownwardAPIProjection,
    'podCertificate': is_PodCertificateProjection,
    'secret': is_SecretProjection,
    'serviceAccountToken': is_ServiceAccountTokenProjection,
}
KEYS_VolumeResourceRequirements = {
    'limits': is_VolumeResourceRequirements_limits,
    'requests': is_VolumeResourceRequirements_requests,
}
KEYS_WeightedPodAffinityTerm = {
    'podAffinityTerm': is_PodAffinityTerm,
    'weight': is_WeightedPodAffinityTerm_weight,
}
KEYS_WindowsSecurityContextOptions = {
    'gmsaCredentialSpec': is_string,
    'gmsaCredentialSpecName': is_string,
    'hostProcess': is_boolean,
    'runAsUserName': is_string,
}
